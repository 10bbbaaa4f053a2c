// Roots of covariance blocks without an eigendecomposition (extraction.md, section 5).
#pragma once

#include "gpu/extract/spectra.hpp"

namespace spex::gpu {

/// Largest block, in bins, that find_roots can hold in shared memory.
inline constexpr int largest_root = 80;

/// Q_s = C_s^(-1/2) of each core spectrum by the coupled Newton-Schulz iteration (Higham, Functions
/// of Matrices, 6.35), and from it the spectrum as store_signal writes it. With A = C / ||C||:
///
///     Y_0 = A, Z_0 = I;  T = (3 I - Z Y) / 2,  Y <- Y T,  Z <- T Z;  Z -> A^(-1/2)
///
/// C: ncores blocks of m x m, m <= largest_root, of which the lower triangles are read; f, q as in
/// store_signal. `status[patch]` becomes 1 where the iteration does not converge to a residual
/// |I - Z Y| of 1e-5, the condition number ||C|| ||Q||^2 is above 1e12, or a number is not finite:
/// eigh must then do the patch. A block a spectrum, in FP64 tensor cores.
void find_roots(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                const double* C, int m, const double* f, const double* q, const BinStrides& strides,
                int* status, const SpectraView& spectra, cudaStream_t stream);

}  // namespace spex::gpu
