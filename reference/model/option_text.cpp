#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "reference/core/choose.hpp"
#include "reference/core/error.hpp"
#include "reference/model/milestones.hpp"
#include "reference/model/option_table.hpp"

namespace spex {
namespace {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {
  using Value = T;
};

// All values of an enumeration that an option may have.
std::vector<Decorrelate> values_of(Decorrelate /*kind*/, Device /*device*/) {
  return {Decorrelate::signal, Decorrelate::noise};
}
std::vector<FluxSolver> values_of(FluxSolver /*kind*/, Device /*device*/) {
  return {FluxSolver::patch, FluxSolver::frame};
}
std::vector<Chi2Pixels> values_of(Chi2Pixels /*kind*/, Device /*device*/) {
  return {Chi2Pixels::weighted, Chi2Pixels::bright};
}
std::vector<Bad2dFit> values_of(Bad2dFit /*kind*/, Device /*device*/) {
  return {Bad2dFit::relative, Bad2dFit::chi2};
}
std::vector<PsfTails> values_of(PsfTails /*kind*/, Device /*device*/) {
  return {PsfTails::off, PsfTails::on};
}
std::vector<Method> values_of(Method /*kind*/, Device /*device*/) {
  return {Method::eigh, Method::cholesky};
}
std::vector<Milestone> values_of(Milestone /*kind*/, Device device) {
  return milestones_of(device);
}

// Parses a finite number like Python's float(): with surrounding blanks and an optional +.
std::optional<double> number_of(std::string_view text) {
  constexpr const char* blanks = " \t\n\r\f\v";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  text = text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [after, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || after != end || !std::isfinite(value)) return {};
  return value;
}

// The words between commas.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t comma = text.find(',');
    words.push_back(text.substr(0, comma));
    if (comma == text.npos) return words;
    text.remove_prefix(comma + 1);
  }
}

template <class T>
T parse(const std::string& flag, const std::string& text, Device device) {
  if constexpr (std::is_enum_v<T>) {
    return choose(flag.c_str(), text, values_of(T{}, device));
  } else if constexpr (std::is_same_v<T, WaveRange>) {
    return parse_wavelength(text);
  } else if constexpr (std::is_same_v<T, XyRange>) {
    return parse_xyrange(text);
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return parse_mask_bits(text);
  } else if constexpr (std::is_same_v<T, double>) {
    const std::optional<double> value = number_of(text);
    if (!value) throw usage_error(flag, "'" + text + "'", "a number");
    return *value;
  } else {
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [after, code] = std::from_chars(text.data(), end, value);
    if (code == std::errc::result_out_of_range) throw usage_error(flag, text, "a 32-bit integer");
    if (code != std::errc() || after != end)
      throw usage_error(flag, "'" + text + "'", "an integer");
    return value;
  }
}

template <class T>
std::string text_of_value(const T& value) {
  if constexpr (IsOptional<T>::value)
    return value ? text_of_value(*value) : "";
  else if constexpr (std::is_enum_v<T> || std::is_same_v<T, XyRange>)
    return to_string(value);
  else if constexpr (std::is_same_v<T, WaveRange>)
    return fmt::format("{},{},{}", value.wmin, value.wmax, value.dw);
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return value == ~std::uint32_t{0} ? "all" : fmt::format("0x{:X}", value);
  else
    return fmt::format("{}", value);
}

}  // namespace

std::vector<std::string> choices_of(const ExtractOption& option, Device device) {
  OptionRequest request;
  std::vector<std::string> names;
  std::visit(
      [&]<class T>(T* /*place*/) {
        if constexpr (std::is_enum_v<T>) {
          for (const T one : values_of(T{}, device)) names.push_back(to_string(one));
        } else if constexpr (IsOptional<T>::value) {
          using Value = typename IsOptional<T>::Value;
          if constexpr (std::is_enum_v<Value>)
            for (const Value one : values_of(Value{}, device)) names.push_back(to_string(one));
        }
      },
      option.value(request));
  return names;
}

void set_option(OptionRequest& request, const ExtractOption& option, const std::string& text,
                Device device) {
  std::visit(
      [&]<class T>(T* place) {
        if constexpr (IsOptional<T>::value)
          *place = parse<typename IsOptional<T>::Value>(option.flag(), text, device);
        else
          *place = parse<T>(option.flag(), text, device);
      },
      option.value(request));
}

std::string text_of(const ExtractOption& option, const FrameOptions& options) {
  OptionRequest request = request_of(options);
  return std::visit([](const auto* place) { return text_of_value(*place); }, option.value(request));
}

WaveRange parse_wavelength(const std::string& text) {
  const auto wrong = [&](const std::string& what) {
    return usage_error("--wavelength", "'" + text + "' " + what, "wmin,wmax,dw in Angstrom");
  };
  const std::vector<std::string_view> words = words_of(text);
  double values[3];
  if (words.size() < 3) throw wrong("is not three numbers");
  for (int i = 0; i < 3; ++i) {
    const std::optional<double> value = number_of(words[i]);
    if (!value) throw wrong("is not three numbers");
    values[i] = *value;
  }
  if (words.size() > 3) throw wrong("has extra text after the third number");
  return {values[0], values[1], values[2]};
}

XyRange parse_xyrange(const std::string& text) {
  const auto wrong = [&] {
    return usage_error("--xyrange", "'" + text + "'",
                       "xmin,xmax,ymin,ymax: integers from 0 on, xmin < xmax and ymin < ymax");
  };
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 4) throw wrong();
  int values[4];
  for (int i = 0; i < 4; ++i) {
    const std::optional<double> value = number_of(words[i]);
    if (!value || *value < 0 || *value > std::numeric_limits<int>::max() ||
        *value != std::floor(*value))
      throw wrong();
    values[i] = static_cast<int>(*value);
  }
  const XyRange range{values[0], values[1], values[2], values[3]};
  if (range.xmin >= range.xmax || range.ymin >= range.ymax) throw wrong();
  return range;
}

std::uint32_t parse_mask_bits(const std::string& text) {
  if (text == "all") return ~std::uint32_t{0};
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const char* const begin = text.data() + (hexadecimal ? 2 : 0);
  const char* const end = text.data() + text.size();
  std::uint32_t bits = 0;
  const auto [after, code] = std::from_chars(begin, end, bits, hexadecimal ? 16 : 10);
  if (code != std::errc() || after != end)
    throw usage_error("--mask-bits", "'" + text + "' is not a set of bits",
                      "a number such as 767 or 0x2FF, or all");
  return bits;
}

std::string to_string(const XyRange& range) {
  return fmt::format("{},{},{},{}", range.xmin, range.xmax, range.ymin, range.ymax);
}

}  // namespace spex
