// The method cholesky, spectrum by spectrum (extraction.md, section 5.1).
//
// Neighboring spectra hardly share light, and N_ss of one spectrum is a narrow band. So C_s^-1 is
// the Schur complement P_s of a band and two small terms, and Q_s = P_s^(1/2) is a sum over a few
// banded systems. A guard checks each of these assumptions. A patch that the guard refuses is
// solved as a whole (decorrelate.hpp).
#pragma once

#include "reference/core/host_device.hpp"
#include "reference/core/stage_times.hpp"
#include "reference/extract/decorrelate.hpp"

namespace spex {

/// Why the guard refuses to solve a patch spectrum by spectrum.
enum class FiberGuard {
  none,              ///< the guard does not refuse the patch
  far_spectra,       ///< spectra two or more apart share light
  coupling,          ///< neighboring spectra share too much light
  not_positive,      ///< a pivot of a spectrum's band is not positive, or a value is not finite
  condition,         ///< a spectrum's P is ill-conditioned
  outside_the_band,  ///< elements of P beyond the band of N are too large
};

/// The guard's limits (extraction.md, section 5.1).
namespace fiber_bounds {
/// |N_jk| / sqrt(N_jj N_kk) of spectra two or more apart.
inline constexpr double far = 1e-11;
/// rho = || L_s^-1 N_st L_t^-T ||_F of neighboring spectra.
inline constexpr double coupling = 0.05;
/// ||P||_inf times the sum of (P^-1)_jj over the bins that become output.
inline constexpr double condition = 1e9;
/// ||P||_inf tr(P^-1) of all bins, which is above the condition number.
inline constexpr double padded_condition = 1e12;
/// Relative change of the row sums of Q by the elements of P beyond the band.
inline constexpr double outside = 1e-7;
}  // namespace fiber_bounds

/// Sweeps over the spectra of a patch. A move is the largest change of any bin by a sweep, in units
/// of 1 / sqrt(N_jj), which is less than the bin's sigma.
namespace fiber_sweeps {
/// Most sweeps. An error shrinks by (2 rho)^2 a sweep at least, to 1e-20 of what it was.
inline constexpr int most = 10;
/// Fewest sweeps. The first sweeps predict less well.
inline constexpr int least = 3;
/// Sweeps end when the next move is predicted to be no larger, on the CPU.
inline constexpr double cpu_settled = 1e-12;
/// The same on the GPU.
inline constexpr double gpu_settled = 1e-11;
/// Predicted move of the next sweep after `sweeps` >= 2, the last two of which moved `before` and
/// `now`. The first sweep moves f itself. The second moves what neighbors share, rho of it, and
/// each further one rho^2 of the move before.
[[nodiscard]] SPEX_HD constexpr double next_move(int sweeps, double before, double now) {
  if (now == 0) return 0;
  const double ratio = now / before;
  return sweeps == 2 ? now * ratio * ratio : now * ratio;
}
}  // namespace fiber_sweeps

/// Zolotarev's approximation of the root of P.
namespace fiber_poles {
/// Most poles of a root. At fiber_bounds::padded_condition their relative error is 1.2e-13.
inline constexpr int most = 48;
/// Largest relative error on the CPU, in steps of 8 poles. Results of the GPU are compared with the
/// CPU's, whose own error must be the smaller one.
inline constexpr double cpu_error = 1e-12;
/// Largest relative error on the GPU, in steps of 4 poles.
inline constexpr double gpu_error = 1e-11;
}  // namespace fiber_poles

/// E, the elements of P beyond its band, is left out of a spectrum if a bound of what it changes
/// is no larger: of any bin's flux in units of its sigma.
namespace fiber_outside {
/// On the CPU.
inline constexpr double cpu = 1e-9;
/// On the GPU. The bound is conservative: at 1e-7, pulls of simulated frames move by 5e-9 at most.
inline constexpr double gpu = 1e-7;
}  // namespace fiber_outside

/// Decorrelate::signal by spectra. Elements of R are computed as far as `blocks.ndiag` from the
/// diagonal. `replace_f` as in decorrelate_eigh. `result` is valid only where the guard is `none`.
/// Adds its seconds to the stages solve and decorrelate.
[[nodiscard]] FiberGuard decorrelate_fibers(const BandEquations& equations,
                                            const BlockRange& blocks, Decorrelated& result,
                                            StageTimes& times, const ReplaceF& replace_f = {});

}  // namespace spex
