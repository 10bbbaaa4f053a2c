#include "reference/frame/scores.hpp"

#include <cmath>

#include "reference/core/median.hpp"
#include "reference/model/camera.hpp"

namespace spex {

Scores compute_scores(const Frame& frame, const std::string& camera) {
  const ArmTraits* arm = find_arm(camera);
  const WaveWindow window = arm != nullptr ? arm->scores : WaveWindow{};
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
