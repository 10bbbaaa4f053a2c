#include "reference/compare/production/compare_tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reference/compare/frame_tables.hpp"
#include "reference/model/mask_bits.hpp"

namespace spex {
namespace {

constexpr double score_limit = 1e-6;          // relative
constexpr double bad_columns_of_fiber = 0.4;  // --frac-threshold of desi_compute_badcolumn_mask
constexpr std::uint64_t bad_amplifiers = 7U << 22;  // BADAMPB, BADAMPR, BADAMPZ

// A column of a table.
struct Column {
  std::string name, form;
  std::size_t offset = 0, width = 0;  // bytes in a row
};

std::size_t bytes_of(char type) {
  switch (type) {
    case 'K':
    case 'D':
    case 'C':
    case 'P':
      return 8;
    case 'J':
    case 'E':
      return 4;
    case 'I':
      return 2;
    case 'M':
    case 'Q':
      return 16;
    default:  // L, B, A
      return 1;
  }
}

std::vector<Column> columns_of(const FrameTable& table) {
  std::vector<Column> columns;
  std::size_t offset = 0;
  for (const std::string& text : table.columns) {  // "NAME FORMAT"
    const std::size_t blank = text.rfind(' ');
    Column column{text.substr(0, blank), text.substr(blank + 1), offset, 0};
    char* type = nullptr;
    const long repeat = std::strtol(column.form.c_str(), &type, 10);
    const std::size_t count = type == column.form.c_str() ? 1 : static_cast<std::size_t>(repeat);
    column.width = *type == 'X' ? (count + 7) / 8 : count * bytes_of(*type);
    column.form = fmt::format("{}{}", count, *type);
    offset += column.width;
    columns.push_back(column);
  }
  return columns;
}

std::string_view cell(const FrameTable& table, const Column& column, long long row) {
  const std::size_t width = table.nrow > 0 ? table.rows.size() / table.nrow : 0;
  return {reinterpret_cast<const char*>(table.rows.data()) + row * width + column.offset,
          column.width};
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// Text without what fills its cell.
std::string_view filled(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

bool same_cell(std::string_view a, std::string_view b, const Column& column) {
  return column.form.ends_with('A') ? filled(a) == filled(b) : a == b;
}

// A cell for people; empty for arrays.
std::string shown(std::string_view bytes, const Column& column) {
  if (column.form.ends_with('A')) return fmt::format("'{}'", filled(bytes));
  if (column.form == "1D") return fmt::format("{}", std::bit_cast<double>(big_endian(bytes)));
  if (column.form == "1E")
    return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(big_endian(bytes))));
  if (column.form == "1J") return fmt::format("{}", static_cast<std::int32_t>(big_endian(bytes)));
  if (column.form == "1K") return fmt::format("{}", static_cast<std::int64_t>(big_endian(bytes)));
  return "";
}

class TableComparer {
 public:
  TableComparer(const PipelinePair& pair, Differences& differences)
      : pair_(pair), out_(differences) {}

  void compare(const char* hdu) {
    const FrameTable* const a = pair_.ours.file.table(hdu);
    const FrameTable* const b = pair_.production.file.table(hdu);
    if (a == nullptr && b == nullptr) return;
    if (a == nullptr || b == nullptr) {
      out_.add(hdu, "table", Reason::none, a == nullptr ? "in production only" : "in ours only");
      return;
    }
    if (a->nrow != b->nrow) {
      out_.add(hdu, "rows", Reason::none, fmt::format("{}, production {}", a->nrow, b->nrow));
      return;
    }
    const std::vector<Column> columns = columns_of(*a);
    const std::vector<Column> theirs = columns_of(*b);
    for (const Column& column : theirs) {
      const auto found = std::ranges::find(columns, column.name, &Column::name);
      if (found == columns.end())
        out_.add(hdu, column.name, Reason::none, "in production only");
      else if (found->form.back() != column.form.back() ||
               (found->form != column.form && !column.form.ends_with('A')))
        out_.add(hdu, column.name, Reason::none,
                 fmt::format("form {}, production {}", found->form, column.form));
      else
        compare_column(hdu, *a, *found, *b, column);
    }
    for (const Column& column : columns)
      if (std::ranges::find(theirs, column.name, &Column::name) == theirs.end())
        out_.add(hdu, column.name, Reason::none, "in ours only");
  }

 private:
  void compare_column(const std::string& hdu, const FrameTable& a, const Column& of_a,
                      const FrameTable& b, const Column& of_b) {
    for (long long s = 0; s < a.nrow; ++s) {
      const std::string_view x = cell(a, of_a, s), y = cell(b, of_b, s);
      if (same_cell(x, y, of_a)) continue;
      double apart = 0;
      Reason reason = Reason::none;
      if (hdu == "SCORES" && of_a.form == "1D") {
        reason = explain_score(std::bit_cast<double>(big_endian(x)),
                               std::bit_cast<double>(big_endian(y)), s, apart);
      } else if (of_a.name == "FIBERSTATUS") {
        reason = explain_status(big_endian(x), big_endian(y), s);
      }
      Difference& difference = out_.at(hdu, of_a.name, reason, hdu == "SCORES" ? score_limit : 0);
      difference.add(apart, pair_.fiber(s), [&] { return Place{hdu, pair_.fiber(s), {}, {}}; });
      if (difference.note.empty() && !shown(x, of_a).empty())
        difference.note = fmt::format("{}, production {}", shown(x, of_a), shown(y, of_b));
    }
  }

  Reason explain_score(double a, double b, long long s, double& apart) {
    apart = std::abs(a - b) / std::max(std::abs(b), 1e-30);
    if (apart <= score_limit) return Reason::method;
    if (!wrong_scores_) {
      const std::string camera = pair_.ours.find("CAMERA").value_or("");
      wrong_scores_ = rows_of_wrong_scores(pair_.ours.file, camera);
      wrong_scores_->merge(rows_of_wrong_scores(pair_.production.file, camera));
    }
    return wrong_scores_->contains(s) ? Reason::none : Reason::follows;
  }

  [[nodiscard]] Reason explain_status(std::uint64_t a, std::uint64_t b, long long s) const {
    if ((a & ~b) != 0 || ((a ^ b) & ~bad_amplifiers) != 0) return Reason::none;
    long long bad = 0;
    for (long long w = 0; w < pair_.shape.nwave; ++w) {
      const double mask = pair_.b.mask.value[pair_.bin(s, w)];
      if (std::isfinite(mask) && (static_cast<std::uint32_t>(mask) & specmask::BADCOLUMN) != 0)
        ++bad;
    }
    return static_cast<double>(bad) >= bad_columns_of_fiber * static_cast<double>(pair_.shape.nwave)
               ? Reason::bad_columns
               : Reason::none;
  }

  const PipelinePair& pair_;
  Differences& out_;
  // Rows of SCORES that do not follow the spectra of their frame.
  std::optional<std::set<long long>> wrong_scores_;
};

}  // namespace

void compare_tables(const PipelinePair& pair, Differences& differences) {
  TableComparer comparer(pair, differences);
  comparer.compare("FIBERMAP");
  comparer.compare("SCORES");
}

}  // namespace spex
