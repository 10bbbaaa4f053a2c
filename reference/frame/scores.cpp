#include "reference/frame/scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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
  const auto nbins = static_cast<std::size_t>(std::max(end - begin, 0));
  const double root_of_dw = std::sqrt(frame.dw);
  const auto nspec = static_cast<std::size_t>(frame.nspec);
  Scores scores{std::vector<double>(nspec), std::vector<double>(nspec), std::vector<double>(nspec)};
  parallel_for(threads, frame.nspec, [&](int /*thread*/, int s) {
    const double* const flux = frame.flux.data() + frame.bin(s, begin);
    const double* const ivar = frame.ivar.data() + frame.bin(s, begin);
    std::vector<double> signal(nbins);
    for (std::size_t w = 0; w < nbins; ++w) signal[w] = std::sqrt(ivar[w]) * flux[w];
    scores.sum_raw_count[s] = std::accumulate(flux, flux + nbins, 0.0);
    scores.median_raw_count[s] = median({flux, flux + nbins}) / frame.dw;
    scores.median_raw_snr[s] = median(std::move(signal)) / root_of_dw;
  });
  return scores;
}

}  // namespace spex
