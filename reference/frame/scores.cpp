#include "reference/frame/scores.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "reference/core/median.hpp"
#include "reference/model/camera.hpp"

namespace spex {

Scores compute_scores(const Frame& frame, const std::string& camera) {
  const ArmTraits* arm = find_arm(camera);
  const WaveWindow window = arm != nullptr ? arm->scores : WaveWindow{};
  const auto bin_of = [&](double lambda) {
    return static_cast<int>(std::ranges::lower_bound(frame.wave, lambda) - frame.wave.begin());
  };
  const int begin = bin_of(window.first);
  const int end = bin_of(window.end);
  const double root_of_dw = std::sqrt(frame.dw);
  Scores scores;
  for (int s = 0; s < frame.nspec; ++s) {
    double sum = 0;
    std::vector<double> count;
    std::vector<double> snr;
    count.reserve(std::max(end - begin, 0));
    snr.reserve(std::max(end - begin, 0));
    for (int w = begin; w < end; ++w) {
      const double flux = frame.flux[frame.bin(s, w)];
      sum += flux;
      count.push_back(flux / frame.dw);
      snr.push_back(std::sqrt(frame.ivar[frame.bin(s, w)]) * flux / root_of_dw);
    }
    scores.sum_raw_count.push_back(sum);
    scores.median_raw_count.push_back(median(std::move(count)));
    scores.median_raw_snr.push_back(median(std::move(snr)));
  }
  return scores;
}

}  // namespace spex
