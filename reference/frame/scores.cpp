#include "reference/frame/scores.hpp"

#include <cmath>
#include <limits>

#include "reference/core/median.hpp"

namespace spex {
namespace {

struct Window {
  double first;  ///< Angstrom
  double end;    ///< Angstrom, exclusive
};

Window window_of(const std::string& camera) {
  switch (camera.empty() ? '?' : camera[0]) {
    case 'b':
      return {4000, 5800};
    case 'r':
      return {5800, 7600};
    case 'z':
      return {7600, 9800};
    default:
      return {0, std::numeric_limits<double>::infinity()};
  }
}

}  // namespace

Scores compute_scores(const Frame& frame, const std::string& camera) {
  const Window window = window_of(camera);
  const auto nwave = static_cast<std::size_t>(frame.nwave);
  Scores scores;
  for (std::size_t s = 0; s < static_cast<std::size_t>(frame.nspec); ++s) {
    double sum = 0;
    std::vector<double> count;
    std::vector<double> snr;
    for (std::size_t w = 0; w < nwave; ++w) {
      if (frame.wave[w] < window.first || frame.wave[w] >= window.end) continue;
      const double flux = frame.flux[s * nwave + w];
      sum += flux;
      count.push_back(flux / frame.dw);
      snr.push_back(std::sqrt(frame.ivar[s * nwave + w]) * flux / std::sqrt(frame.dw));
    }
    scores.sum_raw_count.push_back(sum);
    scores.median_raw_count.push_back(median(count));
    scores.median_raw_snr.push_back(median(snr));
  }
  return scores;
}

}  // namespace spex
