// The subjects of bench_kernels_gpu: each adds its benchmarks, named SUBJECT/VARIANT[/SIZE...].
#pragma once

#include <memory>
#include <string>

#include <fmt/format.h>

#include "bench/micro/gpu/device.hpp"
#include "bench/micro/gpu/frame_input.hpp"

namespace spex::bench {

using DevicePointer = std::shared_ptr<Device>;
using FramePointer = std::shared_ptr<FrameInput>;

/// Registers NAME/PATCHES for the patches of one bundle and of two: run(state, device, frame,
/// range).
template <class Run>
void add_for_bundles(const std::string& name, const DevicePointer& device,
                     const FramePointer& frame, const Run& run) {
  for (const int nbundles : {1, 2}) {
    const PatchRange range = frame->bundles(nbundles);
    set_timing(benchmark::RegisterBenchmark(
        fmt::format("{}/{}", name, range.count()).c_str(),
        [=](benchmark::State& state) { run(state, *device, *frame, range); }));
  }
}

/// spots/PATCHES: all spots.
void add_spots(const DevicePointer& device, const FramePointer& frame);
/// normal_equations/direct/PATCHES: y, q and the band of N from overlapping spots.
void add_normal_equations(const DevicePointer& device, const FramePointer& frame);
/// eigh/single/N: Xsyevd; eigh/xsyev/N/BATCH: XsyevBatched, where cuSOLVER has it;
/// eigh/jacobi/N/BATCH: syevjBatched.
void add_eigh(const DevicePointer& device);
/// cholesky/band/PATCHES: the band's factorization with its solution and condition.
void add_cholesky(const DevicePointer& device, const FramePointer& frame);
/// roots/newton_schulz/M/PATCHES: covariance blocks of order M and their roots from the factored
/// band; roots/one_sided_jacobi/M/PATCHES: spectra of given blocks by one-sided Jacobi rotations of
/// their Cholesky factors.
void add_roots(const DevicePointer& device, const FramePointer& frame);
/// fibers/STAGE/PATCHES: the stages of the engine that works spectrum by spectrum.
void add_fibers(const DevicePointer& device, const FramePointer& frame);
/// ceiling/fma and ceiling/tensor: FP64 on the cores, on the tensor cores; ceiling/dgemm/8192;
/// ceiling/dgemm_emulated/N where cuBLAS has it (CUDA 13.0 update 2);
/// ceiling/copy: what the GPU can do at most.
void add_ceilings(const DevicePointer& device);

}  // namespace spex::bench
