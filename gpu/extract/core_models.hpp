// The model image's parts, a patch each, from the device (extraction.md, section 6).
#pragma once

#include <vector>

#include "gpu/extract/frame_on_device.hpp"

namespace spex::gpu {

/// Computes A_core f_core of the patches [first, first + count) of a frame and copies it into
/// `models[k]`, rows first over the used pixels of patch k. `work` has room for npixel numbers a
/// patch. Waits for the GPU.
void download_core_models(const Context& context, const FrameOnDevice& frame, int first, int count,
                          int npixel, const SpotsView& spots, const SolutionView& solution,
                          double* work, std::vector<std::vector<double>>& models);

}  // namespace spex::gpu
