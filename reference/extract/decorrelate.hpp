// The solution of a patch and its decorrelation (extraction.md, sections 4 and 5; BS 4, 10-19).
#pragma once

#include <functional>
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
  int ndiag = 0;       ///< elements of R as far from the diagonal as this are wanted
};

/// Decorrelated spectra of the wanted blocks.
struct Decorrelated {
  std::vector<double> f;     ///< all n bins of the patch, electron
  std::vector<double> flux;  ///< R f [nspec][nwave], electron
  std::vector<double> ivar;  ///< squares of the row sums of Q [nspec][nwave], electron^-2
  /// The block of R of each wanted spectrum, column-major nwave x nwave. What is farther than
  /// ndiag from the diagonal may be 0 instead.
  std::vector<std::vector<double>> R;
  double condition = 0;  ///< of N, of decorrelate_eigh only: its largest eigenvalue over its least
};

/// Is given f = N^-1 y of all n bins and puts in what flux is to be made of in its place
/// (extraction.md, section 5.2). An empty one leaves f as it is.
using ReplaceF = std::function<void(std::vector<double>& f)>;

/// Method eigh, the definition. N from its eigendecomposition, eigenvalues clipped to 1e-14 of the
/// largest; signal: Q_s = C_s^(-1/2) of each block; noise: Q = N^(1/2) of the whole patch, whose
/// row sums run over all its bins. `replace_f` as said there. False where LAPACK fails or a value
/// is not finite. Adds its seconds to the stages solve and decorrelate.
[[nodiscard]] bool decorrelate_eigh(const NormalEquations& equations, Decorrelate decorrelate,
                                    const BlockRange& blocks, Decorrelated& result,
                                    StageTimes& times, const ReplaceF& replace_f = {});

/// A patch whose N has eigenvalues further apart than this is taken from decorrelate_eigh to
/// decorrelate_whole_patch: the eigenvectors of C_s hold to the rounding of its largest eigenvalue,
/// which beside masked blocks leaves the others but four digits (extraction.md, section 8).
inline constexpr double eigh_condition_bound = 1e10;

/// A patch whose condition number is estimated above this (in the 1-norm, as dpocon does, which is
/// no less than the ratio of N's eigenvalues) is left to eigh by decorrelate_whole_patch: there
/// eigh's clipping at 1e-14 begins. Below, the factor's way is by far the closer one: beside masked
/// pixels at padding 0, where condition numbers reach 1e13, spots that change in their last bit
/// moved fluxes by 1e-2 of their errors by eigh, and by 5e-7 by the factor (extraction.md, section
/// 8).
inline constexpr double cholesky_condition_bound = 1e14;

/// How the method cholesky did a patch.
enum class CholeskyOutcome {
  by_spectra,   ///< spectrum by spectrum (fiber_cholesky.hpp)
  whole_patch,  ///< the guard of the former spoke: from the factor of the whole patch
  failed,       ///< neither could: the patch is eigh's
};

/// Method cholesky. signal: spectrum by spectrum; where the guard of that forbids it, and for
/// noise, f and the wanted blocks of C from N = L L^T, with N block-tridiagonal in the order of
/// wavelength, and Q_s = C_s^(-1/2) by one-sided Jacobi rotations (inverse_root in
/// reference/linalg/symmetric.hpp; extraction.md, section 5.1), noise by eigh. `replace_f` as said
/// there. Failed where a factorization fails, the condition estimate is above the bound, or a value
/// is not finite.
[[nodiscard]] CholeskyOutcome decorrelate_cholesky(const BandEquations& equations,
                                                   Decorrelate decorrelate,
                                                   const BlockRange& blocks, Decorrelated& result,
                                                   StageTimes& times,
                                                   const ReplaceF& replace_f = {});

/// The second of these ways alone.
[[nodiscard]] bool decorrelate_whole_patch(const NormalEquations& equations,
                                           Decorrelate decorrelate, const BlockRange& blocks,
                                           Decorrelated& result, StageTimes& times,
                                           const ReplaceF& replace_f = {});

/// Whether all numbers of a result are finite.
[[nodiscard]] bool all_finite(const Decorrelated& result);

}  // namespace spex
