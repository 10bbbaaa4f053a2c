// The subjects of bench_kernels_gpu: each adds its benchmarks, named SUBJECT/VARIANT[/SIZE...].
#pragma once

#include <memory>

#include "bench/micro/gpu/device.hpp"
#include "bench/micro/gpu/frame_input.hpp"

namespace spex::bench {

using DevicePointer = std::shared_ptr<Device>;
using FramePointer = std::shared_ptr<FrameInput>;

/// spots/PATCHES: all spots of one bundle and of two.
void add_spots(const DevicePointer& device, const FramePointer& frame);
/// normal_equations/direct/PATCHES: y, q and the band of N from overlapping spots, for a subbundle,
/// one bundle and two.
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
/// ceiling/fma and ceiling/tensor: FP64 on the cores, on the tensor cores; ceiling/dgemm/8192,
/// ceiling/dgemm_batched/518; ceiling/dgemm_emulated/N where cuBLAS has it (CUDA 13.0 update 2);
/// ceiling/copy: what the GPU can do at most.
void add_ceilings(const DevicePointer& device);
/// transfer/to_device/pinned/SIZE, transfer/to_host/pinned/SIZE.
void add_transfers(const DevicePointer& device);

}  // namespace spex::bench
