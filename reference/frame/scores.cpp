#include "reference/frame/scores.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "reference/core/median.hpp"
#include "reference/core/parallel.hpp"
#include "reference/model/camera.hpp"

namespace spex {

Scores compute_scores(const Frame& frame, const std::string& camera, int threads) {
  const ArmTraits* arm = arm_of_camera(camera);
  const WaveWindow window = arm != nullptr ? arm->scores : WaveWindow{};
  const auto bin_of = [&](double lambda) {
    return static_cast<int>(std::ranges::lower_bound(frame.wave, lambda) - frame.wave.begin());
  };
  const int begin = bin_of(window.first);
  const int end = bin_of(window.end);
  const double root_of_dw = std::sqrt(frame.dw);
  const auto nspec = static_cast<std::size_t>(frame.nspec);
  Scores scores{std::vector<double>(nspec), std::vector<double>(nspec), std::vector<double>(nspec)};
  parallel_for(threads, frame.nspec, [&](int /*thread*/, int s) {
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
    scores.sum_raw_count[s] = sum;
    scores.median_raw_count[s] = median(std::move(count));
    scores.median_raw_snr[s] = median(std::move(snr));
  });
  return scores;
}

}  // namespace spex
