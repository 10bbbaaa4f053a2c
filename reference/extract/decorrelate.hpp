// The solution of a patch and its decorrelation (extraction.md, sections 4 and 5; BS 4, 10-19).
#pragma once

#include <functional>
#include <vector>

#include "reference/core/simd/aligned.hpp"
#include "reference/core/stage_times.hpp"
#include "reference/extract/normal_equations.hpp"
#include "reference/model/choices.hpp"

namespace spex {

/// Spectra [spec_first, spec_first + nspec) of a patch's padded ones whose blocks are wanted, and
/// the padded bins of each.
struct BlockRange {
  int spec_first = 0;  ///< first padded spectrum
  int nspec = 0;       ///< number of spectra
  int nwave = 0;       ///< padded bins of a spectrum
  int ndiag = 0;       ///< elements of R as far from the diagonal as this are wanted
  int wavepad = 0;     ///< bins of padding before the bins that become output
  int nkept = 0;       ///< bins of a spectrum that become output
};

/// Decorrelated spectra of the wanted blocks.
struct Decorrelated {
  std::vector<double> f;     ///< all n bins of the patch, electron
  std::vector<double> flux;  ///< R f [nspec][nwave], electron
  std::vector<double> ivar;  ///< squares of the row sums of Q [nspec][nwave], electron^-2
  /// The block of R of each wanted spectrum, column-major nwave x nwave. What is farther than
  /// ndiag from the diagonal may not be set.
  std::vector<AlignedDoubles> R;
  double condition = 0;  ///< of N, of decorrelate_eigh only: its largest eigenvalue over its least
};

/// Is given f = N^-1 y of all n bins, and replaces f by the flux of the whole frame
/// (extraction.md, section 5.2). An empty function leaves f as it is.
using ReplaceF = std::function<void(std::vector<double>& f)>;

/// What decorrelate_eigh may do in another way.
struct EighChoices {
  ReplaceF replace_f;                         ///< none: f stays
  EighRoutine routine = EighRoutine::dsyevd;  ///< or dsyevr
};

/// Method eigh, the definition. N from its eigendecomposition, eigenvalues clipped to 1e-14 of the
/// largest; signal: Q_s = C_s^(-1/2) of each block; noise: Q = N^(1/2) of the whole patch, whose
/// row sums run over all its bins. False where LAPACK fails or a value is not finite. Adds its
/// seconds to the stages solve and decorrelate.
[[nodiscard]] bool decorrelate_eigh(const NormalEquations& equations, Decorrelate decorrelate,
                                    const BlockRange& blocks, Decorrelated& result,
                                    StageTimes& times, const EighChoices& choices = {});

/// A patch whose N has a larger condition number than this is solved by decorrelate_whole_patch
/// instead of decorrelate_eigh. The errors of C_s's eigenvectors are of the rounding of its largest
/// eigenvalue: beside masked blocks this leaves four digits of the others (extraction.md, section
/// 8).
inline constexpr double eigh_condition_bound = 1e10;

/// decorrelate_whole_patch leaves a patch to eigh where the condition number is estimated above
/// this, as eigh begins to clip eigenvalues there. The estimate is of the 1-norm, as in dpocon, and
/// no less than the ratio of N's eigenvalues. Below this bound the factor is far more precise than
/// eigh: beside masked pixels at padding 0 condition numbers reach 1e13, and a change of spots in
/// their last bit moved fluxes by 1e-2 of their errors by eigh, and by 5e-7 by the factor
/// (extraction.md, section 8).
inline constexpr double cholesky_condition_bound = 1e14;

/// How the method cholesky solved a patch.
enum class CholeskyOutcome {
  by_spectra,   ///< spectrum by spectrum (fiber_cholesky.hpp)
  whole_patch,  ///< the guard refused that: from the factor of the whole patch
  failed,       ///< not solved; the patch is left to eigh
};

/// Method cholesky (extraction.md, section 5.1). signal: decorrelate_fibers, or
/// decorrelate_whole_patch where the guard refuses the patch. noise: decorrelate_whole_patch.
[[nodiscard]] CholeskyOutcome decorrelate_cholesky(const BandEquations& equations,
                                                   Decorrelate decorrelate,
                                                   const BlockRange& blocks, Decorrelated& result,
                                                   StageTimes& times,
                                                   const ReplaceF& replace_f = {});

/// f and the wanted blocks of C from N = L L^T, with N block-tridiagonal in the order of
/// wavelength. signal: Q_s = C_s^(-1/2) by one-sided Jacobi rotations (inverse_root in
/// reference/linalg/symmetric.hpp). noise: Q = N^(1/2) by the eigendecomposition of N. False where
/// a factorization fails, the condition estimate is above the bound, or a value is not finite.
[[nodiscard]] bool decorrelate_whole_patch(const NormalEquations& equations,
                                           Decorrelate decorrelate, const BlockRange& blocks,
                                           Decorrelated& result, StageTimes& times,
                                           const ReplaceF& replace_f = {});

/// Whether all numbers of a result for `blocks` are finite, those of R within ndiag of its
/// diagonal.
[[nodiscard]] bool all_finite(const Decorrelated& result, const BlockRange& blocks);

}  // namespace spex
