// The flux of the whole frame at once: f = N^-1 y without patches (extraction.md, section 5.2).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reference/core/host_device.hpp"
#include "reference/core/stage_times.hpp"
#include "reference/extract/bundle_fibers.hpp"
#include "reference/extract/frame_equations.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/patch_result.hpp"

namespace spex {

struct ExtractInputs;

/// f of the fibers of a bundle at the bins of the extended grid.
struct FrameFlux {
  FrameSolution solution = FrameSolution::sweeps;  ///< how it was found
  int spec_first = 0;                              ///< first fiber
  int nspec = 0;                                   ///< fibers
  ExtendedGrid grid;                               ///< bins
  std::vector<double> f;                           ///< electron [nspec][grid.nwave]
  int beyond = 0;  ///< fibers on either side of the bundle that were solved with it, at most

  /// Writes f into the bins of a patch that lie on the extended grid: `patch_f` is [padded
  /// spectrum][padded bin]. Bins beyond it, which the surplus of a last step has, stay as they are.
  void put_into(const Patch& patch, std::vector<double>& patch_f) const;
};

/// Bounds of the solution.
namespace frame_bounds {
/// A bin has settled when it moves by no more than this times 1 / sqrt(N_jj), which is less than
/// its sigma.
inline constexpr double settled = 1e-10;
/// If N is nearly singular, rounding moves bins by more. Sweeps have reached this limit if they
/// move bins by at most this, and by at least half as much as the previous sweep.
inline constexpr double rounding = 1e-8;
/// A sweep that would move bins by no more than this is omitted.
inline constexpr double foreseen = 1e-9;
/// The same where f only tests pixels (section 5.3): their model is then right to 1e-3 of a pixel's
/// sigma.
inline constexpr double foreseen_of_test = 1e-5;
/// What the next sweep will move, when the last two moved `before` and `now`: each multiplies the
/// error by about the same number. `before` is infinite where there was but one.
[[nodiscard]] SPEX_HD constexpr double next_move(double before, double now) {
  const bool single = before > 1e300;
  return single || now > before ? now : now * (now / before);
}
/// Whether sweeps may end: what the last two moved, the largest of all bins times sqrt(N_jj), and
/// `foreseen` or `foreseen_of_test`.
[[nodiscard]] SPEX_HD constexpr bool ended(double before, double now, double may_move) {
  return now <= settled || (now <= rounding && now >= before / 2) ||
         next_move(before, now) <= may_move;
}
/// Sweeps after which all fibers are solved at once instead.
inline constexpr int max_sweeps = 40;
/// Fibers on either side of a bundle that are solved with it, at most.
inline constexpr int max_beyond = 25;
}  // namespace frame_bounds

/// A fiber as it was solved.
struct SolvedFiber {
  FiberSpots spots;           ///< its spots at the bins of the extended grid
  const double* f = nullptr;  ///< electron [grid.nwave]
  /// The factor of N_ss with the prior; nullptr if N_ss has none.
  const BandMatrix* L = nullptr;
  bool in_bundle = false;  ///< false: a fiber beyond the bundle
};
/// Is given all fibers that were solved, those beyond the bundle, too. Takes the weights of pixels
/// in `inputs.pixels`, and returns their places, y nx + x; they are then solved again.
using TestFibers =
    std::function<std::vector<std::uint32_t>(const std::vector<SolvedFiber>& fibers)>;

/// A bundle and the spots of its fibers.
struct BundleSpots {
  int bundle = 0;      ///< its number
  const Spots& spots;  ///< at the bins that its patches hold, from the first one's padding on
  int before = 0;      ///< bins that the spots have more at the front
};

/// Solves the fibers of one bundle together with those beyond it that matter. The result depends on
/// the frame, the bundle and the options alone, not on threads, ranks, or which fibers are asked
/// for. `test`, if there is one, is called with each finite solution until it returns no place; f
/// is then less precise. Throws as evaluate_spots.
[[nodiscard]] FrameFlux solve_frame(const ExtractInputs& inputs, const BundleSpots& of, int threads,
                                    StageTimes& times, const TestFibers& test = {});

}  // namespace spex
