// The solution of a patch and its decorrelation (extraction.md, sections 4 and 5; BS 4, 10-19).
#pragma once

#include <vector>

#include "reference/core/stage_times.hpp"
#include "reference/extract/normal_equations.hpp"
#include "reference/model/options.hpp"

namespace spex {

/// Spectra [spec_first, spec_first + nspec) of a patch's padded ones whose blocks are wanted, and
/// the padded bins of each.
struct BlockRange {
  int spec_first = 0;  ///< first padded spectrum
  int nspec = 0;       ///< number of spectra
  int nwave = 0;       ///< padded bins of a spectrum
};

/// Decorrelated spectra of the wanted blocks.
struct Decorrelated {
  std::vector<double> f;     ///< N^-1 y, all n bins of the patch, electron
  std::vector<double> flux;  ///< R f [nspec][nwave], electron
  std::vector<double> ivar;  ///< squares of the row sums of Q [nspec][nwave], electron^-2
  /// The block of R of each wanted spectrum, column-major nwave x nwave.
  std::vector<std::vector<double>> R;
};

/// Method eigh, the definition. N from its eigendecomposition, eigenvalues clipped to 1e-14 of the
/// largest; signal: Q_s = C_s^(-1/2) of each block; noise: Q = N^(1/2) of the whole patch, whose
/// row sums run over all its bins. False where LAPACK fails or a value is not finite. Adds its
/// seconds to the stages solve and decorrelate.
[[nodiscard]] bool decorrelate_eigh(const NormalEquations& equations, Decorrelate decorrelate,
                                    const BlockRange& blocks, Decorrelated& result,
                                    StageTimes& times);

/// A patch whose condition number is estimated above this (in the 1-norm, as dpocon does)
/// is left to eigh by the method cholesky: the inverse then holds no more than four digits, and
/// eigh's clipping at 1e-14 comes near.
inline constexpr double cholesky_condition_bound = 1e12;

/// Method cholesky: f and the wanted blocks of C from N = L L^T, with N block-tridiagonal in the
/// order of wavelength; roots as eigh takes them. False where the factorization
/// fails, the condition estimate is above the bound, or a value is not finite: the patch is then
/// eigh's.
[[nodiscard]] bool decorrelate_cholesky(const NormalEquations& equations, Decorrelate decorrelate,
                                        const BlockRange& blocks, Decorrelated& result,
                                        StageTimes& times);

}  // namespace spex
