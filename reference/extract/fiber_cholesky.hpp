// The method cholesky, spectrum by spectrum (extraction.md, section 5.1).
//
// Neighbouring spectra hardly share light, and each spectrum alone gives a narrow band. So C_s^-1
// is the Schur complement P_s of a band and two small terms, and Q_s = P_s^(1/2) comes from a
// handful of banded systems. A patch of which any of this is not so is told, and left to another
// way.
#pragma once

#include "reference/core/stage_times.hpp"
#include "reference/extract/decorrelate.hpp"

namespace spex {

/// Why a patch is not solved spectrum by spectrum.
enum class FiberGuard {
  none,              ///< it is
  far_spectra,       ///< spectra two or more apart share light
  coupling,          ///< neighbours share too much of it
  not_positive,      ///< a pivot of a spectrum's band is not positive, or a value is not finite
  condition,         ///< a spectrum's P is too near to singular
  outside_the_band,  ///< P has too much beyond the band of N
};

/// What the guard allows; extraction.md says why.
namespace fiber_bounds {
/// |N_jk| / sqrt(N_jj N_kk) of spectra two or more apart.
inline constexpr double far = 1e-11;
/// rho = || L_s^-1 N_st L_t^-T ||_F of neighbours.
inline constexpr double coupling = 0.05;
/// ||P||_inf tr(P^-1), which is above the condition number.
inline constexpr double condition = 1e9;
/// What the row sums of Q change by, relative, through the elements of P beyond the band.
inline constexpr double outside = 1e-7;
}  // namespace fiber_bounds

/// Zolotarev's approximation of the root of P.
namespace fiber_poles {
/// Most poles of a root; the bound of the condition number needs fewer.
inline constexpr int most = 48;
/// Largest relative error on the CPU, in steps of 4 poles. Results of the GPU are compared with the
/// CPU's, whose own error must be the smaller one.
inline constexpr double cpu_error = 1e-13;
/// Largest relative error on the GPU, in steps of 4 poles.
inline constexpr double gpu_error = 1e-12;
}  // namespace fiber_poles

/// Decorrelate::signal by spectra. Elements of R are computed as far as `blocks.ndiag` from the
/// diagonal. `replace_f` as of the others. Where the result is not `none`, `result` is of no use.
/// Adds its seconds to the stages solve and decorrelate.
[[nodiscard]] FiberGuard decorrelate_fibers(const BandEquations& equations,
                                            const BlockRange& blocks, Decorrelated& result,
                                            StageTimes& times, const ReplaceF& replace_f = {});

}  // namespace spex
