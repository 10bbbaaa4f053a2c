// What the frames of an entry cost, stage by stage, for the roofline.
#pragma once

#include <string>
#include <vector>

#include "bench/result/record.hpp"
#include "reference/model/options.hpp"

namespace spex::bench {

/// A frame's camera, and a PSF of its band.
struct CameraPsf {
  std::string camera, psf;
};

/// Summed over the frames. Throws Error(data) where a PSF cannot be read.
[[nodiscard]] std::vector<CostRecord> frame_costs(const ExtractOptions& options,
                                                  const std::vector<CameraPsf>& frames);

}  // namespace spex::bench
