#include "reference/fits/read/check_headers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "reference/fits/fits_checksum.hpp"
#include "reference/fits/header_cards.hpp"

namespace spex {
namespace {

constexpr long long block_size = 2880;
constexpr long long max_axes = 8;
constexpr long long max_columns = 999;

// Parses dimensions `(d1,d2,...)`. Returns nothing if the text has another form or a dimension is
// negative.
std::optional<std::vector<long long>> parse_dimensions(std::string_view text) {
  std::vector<long long> axes;
  if (!text.starts_with('(')) return {};
  while (!text.empty()) {
    text.remove_prefix(1);  // the parenthesis, or a comma
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    long long axis = -1;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), axis);
    if (code != std::errc() || axis < 0 || axis > longest_size) return {};
    axes.push_back(axis);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text == ")") return axes;
    if (!text.starts_with(',')) return {};
  }
  return {};
}

// Checks TDIMn, whose first number CFITSIO uses as a divisor of the width of a text column.
void check_dimensions(const FitsHeader& header, long long column, const TableForm& form) {
  const std::string key = fmt::format("TDIM{}", column);
  if (!header.has(key)) return;
  const std::string text = header.string(key);
  const std::optional<std::vector<long long>> axes = parse_dimensions(text);
  bool fits = axes && axes->size() <= 16;
  long long elements = 1;
  for (std::size_t i = 0; fits && i < axes->size(); ++i) {
    const long long axis = (*axes)[i];
    fits = axis > 0 ? elements <= longest_size / axis : form.type != 'A';
    elements *= axis;
  }
  if (!fits || (!form.varies() && elements > form.repeat))
    throw header.error(fmt::format("{} = '{}'", key, text),
                       fmt::format("axes of {} elements", form.repeat));
}

std::vector<TableForm> check_columns(const FitsHeader& header) {
  const long long columns = header.number("TFIELDS", 0, max_columns);
  std::vector<TableForm> forms;
  long long width = 0;
  for (long long i = 1; i <= columns; ++i) {
    const std::string key = fmt::format("TFORM{}", i);
    if (!header.has(key)) throw header.error("has no keyword " + key, "a TFORM a column");
    const std::string text = header.string(key);
    const std::optional<TableForm> form = parse_table_form(text);
    if (!form)
      throw header.error(fmt::format("{} = '{}'", key, text),
                         "the form of a binary table's column");
    static_cast<void>(header.string(fmt::format("TTYPE{}", i)));
    check_dimensions(header, i, *form);
    forms.push_back(*form);
    width += form->bytes;
  }
  if (width != header.number("NAXIS1", 0, longest_size))
    throw header.error(fmt::format("columns of {} bytes", width), "NAXIS1");
  return forms;
}

void check_table(FitsHdu& hdu) {
  const FitsHeader& header = hdu.header;
  hdu.columns = check_columns(header);
  const long long rows = header.number("NAXIS2", 0, longest_size);
  const long long width = header.number("NAXIS1", 0, longest_size);
  if (rows > 0 && width == 0)
    throw header.error(fmt::format("{} rows of 0 bytes", rows), "NAXIS1 > 0");
  // CFITSIO looks for the next HDU at THEAP + PCOUNT, although PCOUNT already includes the gap.
  const long long end = rows * width;
  const long long gap = hdu.is_packed() ? header.number("PCOUNT", 0, longest_size) : 0;
  static_cast<void>(header.number("THEAP", end, end + gap, end));
}

// Sets the data range of `hdu` and checks its header.
void check_hdu(FitsHdu& hdu, bool primary) {
  const FitsHeader& header = hdu.header;
  std::size_t place = 0;
  header.check_place(place++, primary ? "SIMPLE" : "XTENSION");
  header.check_place(place++, "BITPIX");
  header.check_place(place++, "NAXIS");
  const long long naxis = header.number("NAXIS", 0, max_axes);
  for (long long i = 1; i <= naxis; ++i) header.check_place(place++, fmt::format("NAXIS{}", i));
  if (!primary) {
    header.check_place(place++, "PCOUNT");
    header.check_place(place++, "GCOUNT");
  } else {
    static_cast<void>(header.logical("SIMPLE"));
  }
  const std::string kind = primary ? "IMAGE" : header.string("XTENSION");
  const bool table = kind == "BINTABLE";
  hdu.in_table = table;
  if (!table && kind != "IMAGE")
    throw header.error(fmt::format("XTENSION = '{}'", kind), "IMAGE or BINTABLE");
  if (header.logical("ZTABLE"))
    throw header.error(
        fmt::format("a compressed table{}", hdu.name().empty() ? "" : ", " + hdu.name()),
        "a plain table, as funpack makes it");
  const long long heap = header.number("PCOUNT", 0, table ? longest_size : 0, 0);
  static_cast<void>(header.number("GCOUNT", 1, 1, 1));
  if (header.logical("GROUPS")) throw header.error("GROUPS = T", "no random groups");
  const long long bits = header.number("BITPIX", -64, 64);
  static constexpr std::array<long long, 6> known{8, 16, 32, 64, -32, -64};
  if (std::find(known.begin(), known.end(), bits) == known.end())
    throw header.error(fmt::format("BITPIX = {}", bits), "8, 16, 32, 64, -32 or -64");
  const long long elements = naxis == 0 ? 0 : header.product("NAXIS", naxis, 0);
  hdu.data_size = (elements + heap) * (std::abs(bits) / 8);
  if (table) {
    header.check_place(place, "TFIELDS");
    if (bits != 8 || naxis != 2)
      throw header.error(fmt::format("a table with BITPIX = {}, NAXIS = {}", bits, naxis),
                         "8 and 2");
    check_table(hdu);
  } else if (hdu.is_packed()) {
    throw header.error("a compressed image that is not in a binary table", "BINTABLE");
  }
}

}  // namespace

std::string FitsHdu::name() const {
  const bool packed = is_packed();
  for (const std::string& card : header.cards())
    // Compression gives its own name to an unnamed image, beside which a program may add another.
    if (card_name(card) == "EXTNAME" &&
        !(packed && card.starts_with("EXTNAME = 'COMPRESSED_IMAGE'")))
      return card_text({card}, "EXTNAME").value_or("");
  return {};
}

std::string FitsHdu::title() const {
  const std::string text = name();
  return text.empty() ? fmt::format("HDU number {}", header.hdu_number()) : "HDU " + text;
}

std::vector<FitsHdu> check_headers(const ReadAt& read_at, long long size, const std::string& path,
                                   const std::function<void(const FitsHdu&)>& at_data) {
  std::vector<FitsHdu> hdus;
  long long offset = 0;
  std::string block(block_size, '\0');
  while (offset < size) {
    const bool primary = hdus.empty();
    const int number = static_cast<int>(hdus.size()) + 1;
    FitsHdu hdu{.header = FitsHeader(path, number), .begin = offset, .columns = {}};
    for (bool first = true, ended = false; !ended; first = false, offset += block_size) {
      const long long count = read_at(offset, block.data(), block_size);
      const std::string_view text(block.data(), static_cast<std::size_t>(std::max(0LL, count)));
      if (first && !primary && count == 0 && size == unknown_size) return hdus;
      // Tapes padded files with zero blocks.
      if (first && !primary && !text.empty() &&
          text.find_first_not_of('\0') == std::string_view::npos)
        return hdus;
      if (first && primary && !text.starts_with("SIMPLE"))
        throw data_error(path, "is not a FITS file", "SIMPLE at its start");
      if (first && !text.starts_with(primary ? "SIMPLE  =" : "XTENSION="))
        throw hdu.header.error("does not start as a header", primary ? "SIMPLE" : "XTENSION");
      if (count < block_size)
        throw data_error(path,
                         fmt::format("is cut short: {} bytes", std::min(size, offset + count)),
                         fmt::format("a whole header of HDU number {}", number));
      hdu.header_sum = fits_checksum(
          {reinterpret_cast<const unsigned char*>(text.data()), text.size()}, hdu.header_sum);
      for (std::size_t at = 0; at < text.size() && !ended; at += FitsHeader::card_size)
        ended = !hdu.header.add(text.substr(at, FitsHeader::card_size));
    }
    check_hdu(hdu, primary);
    hdu.data = offset;
    offset += (hdu.data_size + block_size - 1) / block_size * block_size;
    hdu.end = offset;
    if (offset > size)
      throw data_error(path, fmt::format("is cut short: {} bytes", size),
                       fmt::format("{} for HDU number {}", offset, number));
    if (at_data) at_data(hdu);
    hdus.push_back(std::move(hdu));
  }
  return hdus;
}

}  // namespace spex
