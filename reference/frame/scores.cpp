#include "reference/frame/scores.hpp"

#include <cmath>

#include "reference/core/median.hpp"
#include "reference/model/camera.hpp"

namespace spex {

Scores compute_scores(const Frame& frame, const std::string& camera) {
  const ArmTraits* arm = find_arm(camera);
  const WaveWindow window = arm != nullptr ? arm->scores : WaveWindow{};
  Scores scores;
  for (int s = 0; s < frame.nspec; ++s) {
    double sum = 0;
    std::vector<double> count;
    std::vector<double> snr;
    for (int w = 0; w < frame.nwave; ++w) {
      if (frame.wave[w] < window.first || frame.wave[w] >= window.end) continue;
      const double flux = frame.flux[frame.bin(s, w)];
      sum += flux;
      count.push_back(flux / frame.dw);
      snr.push_back(std::sqrt(frame.ivar[frame.bin(s, w)]) * flux / std::sqrt(frame.dw));
    }
    scores.sum_raw_count.push_back(sum);
    scores.median_raw_count.push_back(median(count));
    scores.median_raw_snr.push_back(median(snr));
  }
  return scores;
}

}  // namespace spex
