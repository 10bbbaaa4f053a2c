// Factors of the spectra, f by sweeps, and what neighbours take from each spectrum (5.1).
#pragma once

#include "gpu/extract/fiber_bands.hpp"
#include "gpu/extract/limits.hpp"

namespace spex::gpu {

/// The smallest reach, of those for which there are kernels, that holds `reach`; 0 where none does.
[[nodiscard]] int stored_reach(int reach);

/// What the stages of a batch leave for each other.
struct FiberSolution {
  double* factor = nullptr;   ///< [patch][slot], like FiberBands::band: 1 / d_j and L
  double* inverse = nullptr;  ///< [patch][slot]: the band of N_ss^-1, like FiberBands::band
  double* trace = nullptr;    ///< [patch][slot]: tr(N_ss^-1)
  double* f = nullptr;        ///< [patch][slot][bin]: y before solve_fibers, f after it
  double* g = nullptr;        ///< [patch][slot][bin]: y less what neighbours' f make of it
};

/// Factors all N_ss. A patch with a pivot that is not positive becomes guarded.
void factor_fibers(const PatchGeometry* patches, int count, const FiberLayout& layout,
                   const FiberBands& bands, const FiberSolution& solution, int* status,
                   cudaStream_t stream);

/// f = N^-1 y by sweeps, of the patches that end beyond bin `first_end`. A block a patch.
void solve_fibers(const PatchGeometry* patches, int count, int first_end, const FiberLayout& layout,
                  const FiberBands& bands, const FiberSolution& solution, cudaStream_t stream);

/// The Schur complements P_s = N_ss - D_s of a batch's core spectra, `[spectrum]` each
/// (extraction.md, section 5.1); electron^-2, y in electron^-1.
struct SchurComplements {
  double* band = nullptr;    ///< P_b, the part within N's band, as FiberBands::band, of rows() rows
  float* outside = nullptr;  ///< E = P_b - P_s, nwave x nwave, zeros within the band
  double* y = nullptr;       ///< [bin]: the right-hand side of P_s f_s = y
  double* norm = nullptr;    ///< ||P_b||_inf

  /// Rows of a band, those beyond nwave zeros, so that windows of its columns end in zeros.
  [[nodiscard]] static SPEX_HD int rows(const FiberLayout& layout) {
    return layout.nwave + layout.reach + 1;
  }
  [[nodiscard]] static SPEX_HD int band_size(const FiberLayout& layout) {
    return rows(layout) * (layout.reach + 1);
  }
};

/// P_s of each core spectrum, D_s = sum over neighbours t of N_st N_tt^-1 N_ts. A patch of which a
/// coupling is above its bound becomes guarded. A block a spectrum.
void find_complements(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                      const FiberLayout& layout, const FiberBands& bands,
                      const FiberSolution& solution, const SchurComplements& complements,
                      int* status, cudaStream_t stream);

}  // namespace spex::gpu
