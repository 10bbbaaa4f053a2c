#include "bench/roofline/frame_costs.hpp"

#include <map>

#include "bench/roofline/stage_costs.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/layout/wavelengths.hpp"

namespace spex::bench {

std::vector<CostRecord> frame_costs(const ExtractOptions& options,
                                    const std::vector<CameraPsf>& frames) {
  // The PSFs of a band differ by little.
  std::map<char, std::vector<StageCost>> by_band;
  std::map<Stage, StageCost> sums;
  for (const CameraPsf& frame : frames) {
    std::vector<StageCost>& costs = by_band[frame.camera.at(0)];
    if (costs.empty()) {
      const WaveGrid grid = make_wave_grid(wave_range_of(options, frame.camera, frame.psf));
      costs = stage_costs(read_psf(frame.psf), grid, options);
    }
    for (const StageCost& cost : costs) {
      StageCost& sum = sums.try_emplace(cost.stage, StageCost{cost.stage, 0, 0}).first->second;
      sum.flops += cost.flops;
      sum.bytes += cost.bytes;
    }
  }
  std::vector<CostRecord> all;
  for (const auto& [stage, cost] : sums) all.push_back({to_string(stage), cost.flops, cost.bytes});
  return all;
}

}  // namespace spex::bench
