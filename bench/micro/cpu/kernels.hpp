// The subjects of bench_kernels_cpu: each adds its benchmarks, named SUBJECT/VARIANT[/SIZE].
#pragma once

#include <memory>

#include "bench/micro/kernel_input.hpp"

namespace spex::bench {

using InputPointer = std::shared_ptr<const KernelInput>;

/// spots/bundle: all spots of a bundle.
void add_spots(const InputPointer& input);
/// normal_equations/bands, /sparse, /panels: N, y, q of a patch of n = 518.
void add_normal_equations(const InputPointer& input);
/// quality/patch: pixmask_fraction and chi2pix of that patch.
void add_quality(const InputPointer& input);
/// eigh/N: eigendecomposition of a random symmetric matrix of order N = 32 ... 2048.
void add_eigh();
/// fibers/solve, /decorrelate: a patch spectrum by spectrum; fibers/whole_patch/...: by the factor
/// of the whole patch.
void add_fibers(const InputPointer& input);
/// ceiling/multiply_add, /read: a core's limits.
void add_ceilings();

}  // namespace spex::bench
