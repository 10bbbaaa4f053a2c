#include "reference/compare/frame_tables.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "reference/frame/scores.hpp"

namespace spex {
namespace {

// Tolerance of scores relative to the sum of |flux|: the stored FLUX and IVAR are rounded to
// float32 (6e-8), the scores were computed before rounding.
constexpr double rounding = 2e-7;

// A double of a table that contains only doubles; FITS stores them big-endian.
double stored_double(const std::vector<unsigned char>& rows, std::size_t number) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < 8; ++k) bits = bits << 8 | rows[8 * number + k];
  return std::bit_cast<double>(bits);
}

// The spectra that determine the scores.
Frame spectra_of(const FrameFile& file, const FrameShape& shape) {
  Frame frame;
  frame.nspec = static_cast<int>(shape.nspec);
  frame.nwave = static_cast<int>(shape.nwave);
  frame.wave = file.image("WAVELENGTH")->value;
  frame.dw = frame.nwave > 1 ? frame.wave[1] - frame.wave[0] : 1;
  frame.flux = file.image("FLUX")->value;
  frame.ivar = file.image("IVAR")->value;
  return frame;
}

// A score that FLUX and IVAR contradict.
struct WrongScore {
  long long fiber = 0;  // row
  std::size_t column = 0;
  double found = 0, expected = 0;
};

constexpr std::size_t score_columns = 3;

bool has_size_of_scores(const FrameTable& table, const FrameShape& shape) {
  return table.nrow == shape.nspec && table.columns.size() == score_columns &&
         table.rows.size() == 8 * score_columns * static_cast<std::size_t>(table.nrow);
}

std::vector<WrongScore> find_wrong_scores(const FrameFile& file, const FrameTable& table,
                                          const FrameShape& shape, const std::string& camera) {
  const Frame frame = spectra_of(file, shape);
  const Scores scores = compute_scores(frame, camera);
  const std::array<const std::vector<double>*, score_columns> expected{
      &scores.sum_raw_count, &scores.median_raw_count, &scores.median_raw_snr};
  std::vector<WrongScore> wrong;
  for (int s = 0; s < frame.nspec; ++s) {
    double flux = 0, snr = 0;
    for (int w = 0; w < frame.nwave; ++w) {
      const std::size_t bin = frame.bin(s, w);
      flux += std::abs(frame.flux[bin]);
      snr += std::abs(frame.flux[bin]) * std::sqrt(frame.ivar[bin]);
    }
    const std::array<double, score_columns> sizes{flux, flux / frame.dw, snr / std::sqrt(frame.dw)};
    for (std::size_t k = 0; k < score_columns; ++k) {
      const double found = stored_double(table.rows, s * score_columns + k);
      if (!(std::abs(found - (*expected[k])[s]) <= rounding * sizes[k]))
        wrong.push_back({s, k, found, (*expected[k])[s]});
    }
  }
  return wrong;
}

std::string wrong_scores(const FrameFile& file, const FrameTable& table, const FrameShape& shape,
                         const std::string& camera) {
  if (!has_size_of_scores(table, shape))
    return fmt::format("SCORES: is not a table of {} numbers for {} fibers", score_columns,
                       shape.nspec);
  const std::vector<WrongScore> wrong = find_wrong_scores(file, table, shape, camera);
  if (wrong.empty()) return {};
  const WrongScore& one = wrong.front();
  const std::string& column = table.columns[one.column];
  return fmt::format("SCORES: {} of fiber {} is {} (expected {}, by FLUX and IVAR)",
                     column.substr(0, column.find(' ')), one.fiber, one.found, one.expected);
}

}  // namespace

std::string wrong_tables(const FrameFile& frame, const std::string& camera,
                         const FrameFile* reference) {
  const std::optional<FrameShape> shape = frame_shape(frame);
  if (!shape || frame.image("WAVELENGTH") == nullptr || frame.image("IVAR") == nullptr)
    return "is not a frame";
  if (const FrameTable* const scores = frame.table("SCORES"))
    if (const std::string wrong = wrong_scores(frame, *scores, *shape, camera); !wrong.empty())
      return wrong;
  if (reference == nullptr) return {};
  const FrameTable* const expected = reference->table("FIBERMAP");
  const FrameTable* const found = frame.table("FIBERMAP");
  if (expected == nullptr && found == nullptr) return {};
  if (expected == nullptr || found == nullptr || found->columns != expected->columns ||
      found->rows != expected->rows)
    return "FIBERMAP: rows differ from the reference";
  return {};
}

std::set<long long> rows_of_wrong_scores(const FrameFile& frame, const std::string& camera) {
  std::set<long long> rows;
  const FrameTable* const table = frame.table("SCORES");
  const std::optional<FrameShape> shape = frame_shape(frame);
  if (table == nullptr || !shape) return rows;
  if (!has_size_of_scores(*table, *shape)) {
    for (long long s = 0; s < table->nrow; ++s) rows.insert(s);
    return rows;
  }
  for (const WrongScore& one : find_wrong_scores(frame, *table, *shape, camera))
    rows.insert(one.fiber);
  return rows;
}

}  // namespace spex
