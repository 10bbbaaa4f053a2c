#include "reference/fits/read/unpack_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "reference/fits/plain_hdu.hpp"
#include "reference/fits/read/inflate.hpp"
#include "reference/fits/read/rice.hpp"
#include "reference/fits/read/table_cells.hpp"
#include "reference/fits/read/tile_algorithm.hpp"
#include "reference/fits/read/unshuffle.hpp"

namespace spex {
namespace {

// A column of the uncompressed table.
struct PackedColumn {
  TableForm form;
  TileAlgorithm algorithm = TileAlgorithm::gzip_shuffled;
};

TileAlgorithm algorithm_of(const FitsHeader& header, int column, char type) {
  const std::string key = fmt::format("ZCTYP{}", column);
  const std::string name = header.string(key);
  constexpr std::string_view rice_types = "BIJ";
  constexpr std::string_view shuffled_types = "IJKED";
  const auto is_in = [&](std::string_view types) { return types.find(type) != types.npos; };
  if (name == "GZIP_1") return TileAlgorithm::gzip;
  if (name == "RICE_1" && is_in(rice_types)) return TileAlgorithm::rice;
  if ((name.empty() || name == "GZIP_2") && is_in(shuffled_types))
    return TileAlgorithm::gzip_shuffled;
  throw header.error(fmt::format("{} = '{}' of a column of type {}", key, name, type),
                     "GZIP_1, or one for its type");
}

std::vector<PackedColumn> packed_columns(const FitsHdu& hdu, const TableCells& packed) {
  std::vector<PackedColumn> columns;
  long long width = 0;
  for (int i = 1; i <= static_cast<int>(hdu.columns.size()); ++i) {
    packed.check_bytes(i);
    const std::string key = fmt::format("ZFORM{}", i);
    const std::string text = hdu.header.string(key);
    const std::optional<TableForm> form = parse_table_form(text);
    if (!form || form->varies())
      throw hdu.header.error(fmt::format("{} = '{}'", key, text),
                             "the form of a column of fixed length");
    columns.push_back({*form, algorithm_of(hdu.header, i, form->type)});
    width += form->bytes;
  }
  if (width != hdu.header.number("ZNAXIS1", 0, longest_size))
    throw hdu.header.error(fmt::format("compressed columns of {} bytes", width), "ZNAXIS1");
  return columns;
}

// The header of the uncompressed table.
std::vector<std::string> table_cards(const FitsHeader& header, long long width, long long rows) {
  static constexpr std::array<std::string_view, 12> dropped{
      "THEAP", "ZTABLE", "ZTILELEN", "ZNAXIS",  "ZPCOUNT", "ZHEAPPTR",
      "ZFORM", "ZCTYP",  "CHECKSUM", "DATASUM", "NAXIS1",  "NAXIS2"};
  std::vector<std::string> cards;
  for (const std::string& card : header.cards()) {
    const std::string name = card_name(card);
    const std::string stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
    const auto renamed = [&](std::string other) {
      other.resize(8, ' ');
      return other + card.substr(8);
    };
    if (name == "NAXIS1") {
      cards.push_back(integer_card(name, width));
    } else if (name == "NAXIS2") {
      cards.push_back(integer_card(name, rows));
    } else if (name == "PCOUNT") {
      cards.push_back(integer_card(name, 0));
    } else if (name == "ZHECKSUM") {
      cards.push_back(renamed("CHECKSUM"));
    } else if (name == "ZDATASUM") {
      cards.push_back(renamed("DATASUM"));
    } else if (stem == "TFORM" && header.has("ZFORM" + name.substr(5))) {
      std::string form =
          fmt::format("{:<8}= '{:<8}'", name, header.string("ZFORM" + name.substr(5)));
      form.resize(FitsHeader::card_size, ' ');
      cards.push_back(form);
    } else if (std::find(dropped.begin(), dropped.end(), stem) == dropped.end()) {
      cards.push_back(card);
    }
  }
  return cards;
}

template <class T>
bool decode_rice(std::span<const unsigned char> stream, std::span<unsigned char> to) {
  constexpr int block = 32;
  std::vector<T> values(to.size() / sizeof(T));
  if (!rice_decode(stream, block, std::span<T>(values))) return false;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t byte = 0; byte < sizeof(T); ++byte)
      to[i * sizeof(T) + byte] =
          static_cast<unsigned char>(values[i] >> (8 * (sizeof(T) - 1 - byte)));
  return true;
}

// Copies all bytes of a column in one tile, row by row. Returns false if the stream is damaged.
bool decode(const PackedColumn& column, std::span<const unsigned char> stream, Inflater& inflater,
            std::span<unsigned char> to) {
  switch (column.algorithm) {
    case TileAlgorithm::gzip:
      return inflater.inflate(stream, to);
    case TileAlgorithm::gzip_shuffled: {
      std::vector<unsigned char> shuffled(to.size());
      if (!inflater.inflate(stream, shuffled)) return false;
      unshuffle(shuffled, static_cast<std::size_t>(element_bytes(column.form.type)), to);
      return true;
    }
    case TileAlgorithm::rice:
      switch (column.form.type) {
        case 'B':
          return decode_rice<std::uint8_t>(stream, to);
        case 'I':
          return decode_rice<std::int16_t>(stream, to);
        default:
          return decode_rice<std::int32_t>(stream, to);
      }
  }
  return false;
}

}  // namespace

void unpack_table(const FitsHdu& hdu, std::span<const char> data, Bytes& out) {
  const FitsHeader& header = hdu.header;
  const TableCells packed(hdu, data);
  const std::vector<PackedColumn> columns = packed_columns(hdu, packed);
  const long long width = header.number("ZNAXIS1", 0, longest_size);
  const long long rows = header.number("ZNAXIS2", 0, longest_size);
  static_cast<void>(header.number("ZPCOUNT", 0, 0, 0));
  const long long tile_rows =
      std::min(std::max(1LL, rows), header.number("ZTILELEN", 1, longest_size));
  const long long tiles = header.number("NAXIS2", 0, longest_size);
  if ((rows + tile_rows - 1) / tile_rows != tiles)
    throw header.error(fmt::format("{} rows in tiles of {}", rows, tile_rows),
                       fmt::format("{} tiles", tiles));
  if (width > 0 && rows / most_unpacked_a_byte > hdu.data_size / width)
    throw header.error(
        fmt::format("{} rows of {} bytes compressed to {}", rows, width, hdu.data_size),
        fmt::format("at most {} bytes a byte", most_unpacked_a_byte));

  append_header(out, table_cards(header, width, rows));
  const std::size_t begin = out.size();
  const std::span<unsigned char> all = append_data(out, width * rows);
  Inflater inflater;
  std::vector<unsigned char> cells;
  for (long long tile = 1; tile <= tiles; ++tile) {
    const long long first = (tile - 1) * tile_rows;
    const std::size_t count = std::min(tile_rows, rows - first);
    auto offset = static_cast<std::size_t>(first * width);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::size_t cell = columns[c].form.bytes;
      if (cell == 0) continue;
      cells.resize(cell * count);
      if (!decode(columns[c], packed.bytes(static_cast<int>(c) + 1, tile), inflater, cells))
        throw header.error(fmt::format("compressed tile {} of column {} is damaged", tile, c + 1),
                           "a whole stream of its rows");
      for (std::size_t row = 0; row < count; ++row)
        std::copy_n(cells.begin() + static_cast<std::ptrdiff_t>(row * cell), cell,
                    all.begin() + static_cast<std::ptrdiff_t>(
                                      offset + row * static_cast<std::size_t>(width)));
      offset += cell;
    }
  }
  pad_data(out, begin);
}

}  // namespace spex
