#include "reference/compare/frame_tables.hpp"

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

std::string wrong_scores(const FrameFile& file, const FrameTable& table, const FrameShape& shape,
                         const std::string& camera) {
  const Frame frame = spectra_of(file, shape);
  const Scores scores = compute_scores(frame, camera);
  const std::vector<const std::vector<double>*> expected{
      &scores.sum_raw_count, &scores.median_raw_count, &scores.median_raw_snr};
  const std::size_t count = expected.size();
  if (table.nrow != shape.nspec || table.columns.size() != count ||
      table.rows.size() != 8 * count * static_cast<std::size_t>(table.nrow))
    return fmt::format("SCORES: is not a table of {} numbers for {} fibers", count, shape.nspec);
  for (int s = 0; s < frame.nspec; ++s) {
    double flux = 0, snr = 0;
    for (int w = 0; w < frame.nwave; ++w) {
      const std::size_t bin = frame.bin(s, w);
      flux += std::abs(frame.flux[bin]);
      snr += std::abs(frame.flux[bin]) * std::sqrt(frame.ivar[bin]);
    }
    const std::vector<double> sizes{flux, flux / frame.dw, snr / std::sqrt(frame.dw)};
    for (std::size_t k = 0; k < count; ++k) {
      const double found = stored_double(table.rows, s * count + k);
      if (!(std::abs(found - (*expected[k])[s]) <= rounding * sizes[k]))
        return fmt::format("SCORES: {} of fiber {} is {} (expected {}, by FLUX and IVAR)",
                           table.columns[k].substr(0, table.columns[k].find(' ')), s, found,
                           (*expected[k])[s]);
    }
  }
  return {};
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

}  // namespace spex
