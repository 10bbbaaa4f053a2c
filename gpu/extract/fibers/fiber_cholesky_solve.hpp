// Factors of the spectra, f by sweeps, and Schur complements of neighboring spectra (extraction.md,
// 5.1); the counterpart of reference/extract/fiber_cholesky.hpp.
#pragma once

#include "gpu/extract/batch/limits.hpp"
#include "gpu/extract/normal_equations/fiber_bands.hpp"

namespace spex::gpu {

/// The smallest compiled reach >= `reach`; 0 if there is none.
[[nodiscard]] int stored_reach(int reach);

/// Intermediate results that the stages of a batch exchange.
struct FiberSolution {
  double* factor = nullptr;   ///< [patch][slot], like FiberBands::band: 1 / d_j and L
  double* inverse = nullptr;  ///< [patch][slot]: the band of N_ss^-1, like FiberBands::band
  double* trace = nullptr;    ///< [patch][slot]: tr(N_ss^-1)
  double* kept = nullptr;     ///< [patch][slot]: the part of the trace of bins that become output
  double* f = nullptr;        ///< [patch][slot][bin]: y before solve_fibers, f afterwards
  double* g = nullptr;        ///< [patch][slot][bin]: y minus the contribution of neighboring f
};

/// Factors all N_ss. A patch with a non-positive pivot becomes guarded.
void factor_fibers(const FiberBatch& batch, const FiberSolution& solution, cudaStream_t stream);

/// f = N^-1 y by sweeps, for patches that end beyond bin `first_end`. One thread block per patch.
void solve_fibers(const FiberBatch& batch, const FiberSolution& solution, int first_end,
                  cudaStream_t stream);

/// The Schur complements P_s = N_ss - D_s of a batch's core spectra, `[spectrum]` each
/// (extraction.md, section 5.1); electron^-2, y in electron^-1.
struct SchurComplements {
  double* band = nullptr;  ///< P_b, the part within N's band, as FiberBands::band with rows() rows
  /// E = P_b - P_s, nwave rows of fiber_roots::stride_of_E numbers, 0 within the band.
  float* outside = nullptr;
  double* y = nullptr;          ///< [bin]: right-hand side of P_s f_s = y
  double* norm = nullptr;       ///< ||P_b||_inf
  double* norm_of_E = nullptr;  ///< the Frobenius norm of E

  /// Rows of a band; rows beyond nwave are 0, so that windows of columns end in zeros.
  [[nodiscard]] static SPEX_HD int rows(const FiberLayout& layout) {
    return layout.nwave + layout.reach + 1;
  }
  [[nodiscard]] static SPEX_HD int band_size(const FiberLayout& layout) {
    return rows(layout) * (layout.reach + 1);
  }
};

/// Computes P_s of each core spectrum, D_s = sum over neighbors t of N_st N_tt^-1 N_ts. A patch
/// becomes guarded if a coupling exceeds its bound. One thread block per spectrum.
void find_complements(const FiberBatch& batch, const FiberSolution& solution,
                      const SchurComplements& complements, cudaStream_t stream);

}  // namespace spex::gpu
