// The subjects of bench_kernels_gpu. Each function adds benchmarks named SUBJECT/VARIANT[/SIZE...].
#pragma once

#include <memory>
#include <string>

#include <fmt/format.h>

#include "bench/micro/gpu/device.hpp"
#include "bench/micro/gpu/frame_input.hpp"

namespace spex::bench {

using DevicePointer = std::shared_ptr<Device>;
using FramePointer = std::shared_ptr<FrameInput>;

/// Registers NAME/PATCHES for the patches of one bundle and of two, as run(state, device, frame,
/// npatches).
template <class Run>
void add_for_bundles(const std::string& name, const DevicePointer& device,
                     const FramePointer& frame, const Run& run) {
  for (const int nbundles : {1, 2}) {
    const int npatches = frame->patches_of(nbundles);
    add_benchmark(fmt::format("{}/{}", name, npatches),
                  [=](benchmark::State& state) { run(state, *device, *frame, npatches); });
  }
}

/// spots/PATCHES: all spots.
void add_spots(const DevicePointer& device, const FramePointer& frame);
/// eigh/single/N: Xsyevd; eigh/xsyev/N/BATCH: XsyevBatched, if cuSOLVER has it;
/// eigh/jacobi/N/BATCH: syevjBatched. eigh_N/ROUTINE/N: N of a subbundle's patches at orders of
/// this project and of the paper, by Xsyevd and syevj one by one, syevjBatched, and XsyevBatched.
void add_eigh(const DevicePointer& device);
/// fibers/STAGE/PATCHES: the stages of the engine that works spectrum by spectrum.
void add_fibers(const DevicePointer& device, const FramePointer& frame);
/// Peak rates. ceiling/fma and ceiling/tensor: FP64 on the cores and tensor cores;
/// ceiling/dgemm/8192; ceiling/dgemm_emulated/N if cuBLAS has it (CUDA 13.0 update 2);
/// ceiling/copy.
void add_ceilings(const DevicePointer& device);

}  // namespace spex::bench
