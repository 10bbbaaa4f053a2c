// The subjects of bench_kernels_cpu: each adds its benchmarks, named SUBJECT/VARIANT[/SIZE].
#pragma once

#include <memory>

#include "bench/micro/kernel_input.hpp"

namespace spex::bench {

using InputPointer = std::shared_ptr<const KernelInput>;

/// legendre/scalar, /vector, /cached: all parameters of a bundle at all wavelengths.
void add_legendre(const InputPointer& input);
/// spots/bundle: all spots of a bundle.
void add_spots(const InputPointer& input);
/// projection/sparse, /panels, /dense: A of a patch of n = 518.
void add_projection(const InputPointer& input);
/// normal_equations/bands, /sparse, /panels, /dense: N, y, q of that patch.
void add_normal_equations(const InputPointer& input);
/// quality/patch: pixmask_fraction and chi2pix of that patch.
void add_quality(const InputPointer& input);
/// eigh/N: eigendecomposition of a random symmetric matrix of order N = 32 ... 2048.
void add_eigh();
/// cholesky/band, /band_blocks, /dense, /dense_inverse: factors, and covariance, of N of the patch.
void add_cholesky(const InputPointer& input);
/// roots/M: Q_s = C_s^(-1/2) of a block of C, M = 50 and 74.
void add_roots(const InputPointer& input);
/// fibers/solve, /decorrelate: a patch spectrum by spectrum; fibers/whole_patch/...: by the factor
/// of the whole patch.
void add_fibers(const InputPointer& input);
/// ceiling/multiply_add, /read: a core's limits.
void add_ceilings();
/// fits_read/plain, /gz, /fz and fits_write/...: a preproc image.
void add_fits();

}  // namespace spex::bench
