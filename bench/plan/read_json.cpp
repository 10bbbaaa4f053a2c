#include "bench/plan/read_json.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Reads a text without making values of it; ends where one is refused. Its functions are those that
// nlohmann-json calls.
class Look : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return one_more(); }
  bool boolean(bool /*value*/) override { return one_more(); }
  bool number_integer(number_integer_t /*value*/) override { return one_more(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return one_more(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return one_more();
  }
  bool string(string_t& /*value*/) override { return one_more(); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*elements*/) override {
    members_.emplace_back();
    return one_more() && one_deeper();
  }
  bool key(string_t& name) override {
    if (members_.back().contains(name)) twice_ = name;
    return members_.back().size() < most_json_members && members_.back().insert(name).second;
  }
  bool end_object() override {
    members_.pop_back();
    --levels_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override { return one_more() && one_deeper(); }
  bool end_array() override {
    --levels_;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*last*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

  /// A member that an object has twice; "" for none.
  [[nodiscard]] const std::string& twice() const { return twice_; }
  [[nodiscard]] bool is_too_deep() const { return levels_ > most_json_levels; }

 private:
  bool one_more() { return ++values_ <= most_json_values; }
  bool one_deeper() { return ++levels_ <= most_json_levels; }

  std::vector<std::set<std::string>> members_;  // of the objects that are open, outermost first
  int levels_ = 0, values_ = 0;
  std::string twice_;
};

// A text that people write: some ten times what is shipped; nlohmann-json takes time by its square.
constexpr std::uintmax_t most_written_bytes = 256 << 10;
constexpr const char* too_long = "is longer than 256 kB";

// The text of a file; nothing of a pipe, which would be waited for, or of a device, without end.
std::optional<std::string> text_of(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::optional<Json> read_json(const std::string& text) {
  Look look;
  if (!Json::sax_parse(text, &look)) return std::nullopt;
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

std::optional<Json> read_json_file(const std::string& path) {
  const std::optional<std::string> text = text_of(path);
  return text ? read_json(*text) : std::nullopt;
}

std::string read_written(const std::string& path, const std::string& expected) {
  std::error_code none;
  if (const auto bytes = std::filesystem::file_size(path, none);
      !none && bytes > most_written_bytes)
    throw usage_error(path, too_long, expected);
  const std::optional<std::string> text = text_of(path);
  if (!text) throw usage_error(path, "cannot be read", expected);
  return *text;
}

Json parse_written(const std::string& text, const std::string& path) {
  if (text.size() > most_written_bytes)
    throw usage_error(path, too_long, "a file that people write");
  Look look;
  static_cast<void>(Json::sax_parse(text, &look, Json::input_format_t::json, true, true));
  if (look.is_too_deep())
    throw usage_error(path, "has lists or objects in one another without end",
                      fmt::format("at most {} levels", most_json_levels));
  if (!look.twice().empty())
    throw usage_error(path, "'" + look.twice() + "' is there twice",
                      "each member of an object once");
  return Json::parse(text, nullptr, true, true);
}

}  // namespace spex::bench
