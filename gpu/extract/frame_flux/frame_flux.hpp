// f of the whole frame on the GPU: one band per fiber over all wavelengths, and sweeps over the
// fibers of each bundle (extraction.md, section 5.2); the counterpart of
// reference/extract/frame_flux.hpp.
#pragma once

#include <vector>

#include "gpu/extract/normal_equations/fiber_bands.hpp"
#include "reference/extract/frame_flux.hpp"

namespace spex::gpu {

/// The position of a fiber in its bundle, within the spots of a batch.
struct BundleOfFiber {
  int begin = 0;   ///< first fiber of the bundle
  int end = 0;     ///< one past the last
  int bundle = 0;  ///< index among the batch's bundles
};

/// The fibers of a batch's bundles by color: of each bundle every second one, from the first on,
/// has color 0, the others color 1.
struct ColoredFibers {
  std::vector<int> fibers;  ///< those of color 0, then those of color 1; ascending
  int first_of_second = 0;  ///< where color 1 begins
};
/// `place` as in FrameSystem, on the host.
[[nodiscard]] ColoredFibers color_fibers(const std::vector<BundleOfFiber>& place);

/// A part of ColoredFibers: those at [begin, end) of each color.
struct ColoredRange {
  int begin[2] = {};
  int end[2] = {};

  [[nodiscard]] int count(int color) const { return end[color] - begin[color]; }
  [[nodiscard]] bool empty() const { return count(0) == 0 && count(1) == 0; }
};

/// What a sweep moved: the largest change of the bins of each color, times sqrt(N_jj).
struct SweepMoves {
  double first = 0;
  double second = 0;

  /// The larger of both; NaN if one is.
  [[nodiscard]] SPEX_HD constexpr double largest() const {
    return first > second || first != first ? first : second;
  }
};

/// Whether `count` sweeps are enough, by what the last two moved, as for frame_bounds::ended. Where
/// f only tests pixels (`of_test`), the two colors of one sweep can tell, too, from the second
/// sweep on: what the second color moves comes from what the first has moved, and makes the first
/// move in the next sweep (extraction.md, section 5.3).
[[nodiscard]] SPEX_HD constexpr bool enough_sweeps(int count, const SweepMoves& before,
                                                   const SweepMoves& now, bool of_test) {
  using namespace frame_bounds;
  const double may_move = of_test ? foreseen_of_test : foreseen;
  return ended(before.largest(), now.largest(), may_move) ||
         (of_test && count >= 2 && next_move(now.first, now.second) <= may_move);
}

/// The systems of all fibers of a batch, `[fiber][bin of FrameBands]` unless stated otherwise.
struct FrameSystem {
  FrameBands bands;
  int m = 0;             ///< bins of the extended grid, which are the first bins of FrameBands
  int before = 0;        ///< bins of the patches' view before the first of FrameBands
  int nbundles = 0;      ///< bundles that the batch contains completely
  bool of_test = false;  ///< f only tests pixels (section 5.3)
  /// `[fiber]`; begin = end for a fiber of an incomplete bundle.
  const BundleOfFiber* place = nullptr;
  const int* colored = nullptr;  ///< ColoredFibers::fibers
  double* prior = nullptr;       ///< the prior's contribution to the diagonal
  double* factor =
      nullptr;  ///< `[fiber]`, frame_factor_numbers each: factors by block cyclic reduction
  double* sides =
      nullptr;          ///< `[fiber]`, frame_side_numbers each: right-hand sides of half a sweep
  double* f = nullptr;  ///< electron
  SweepMoves* moved = nullptr;  ///< `[sweep][bundle]`
  /// `[bundle]`: nonzero if sweeps cannot solve the bundle, because a pivot is not positive, or
  /// fibers two or more apart share light.
  int* refused = nullptr;
};

/// Limit of sweeps; bundles that have converged are skipped. Three or four sweeps are typical.
inline constexpr int max_frame_sweeps = frame_bounds::max_sweeps;

/// Whether the GPU has enough shared memory for sweeps of fibers of m bins.
[[nodiscard]] bool frame_fits(int reach, int m);

/// Size of the factor of a fiber of m bins, in doubles.
[[nodiscard]] std::size_t frame_factor_numbers(int reach, int m);

/// Size of the right-hand side of a fiber of m bins, in doubles.
[[nodiscard]] std::size_t frame_side_numbers(int reach, int m);

/// What the prior of the extended grid is made from.
struct FramePriorInput {
  int nwave = 0;                   ///< bins of the grid
  const double* scales = nullptr;  ///< m of each patch, from find_scales
  double regularize = 0;
};

/// Computes the prior's contribution to each bin of the extended grid, with m of the patch whose
/// core contains the bin, or of the nearest patch for bins beyond the grid.
void find_frame_prior(const BatchView& batch, const FramePriorInput& input,
                      const FrameSystem& system, cudaStream_t stream);

/// Sets f to 0 and marks no bundle as rejected.
void begin_frame(const FrameSystem& system, cudaStream_t stream);

/// Rejects bundles with fibers two or more apart that share more light than fiber_bounds::far, in
/// units of their N_jj including the prior.
void refuse_far_light(const SpotsView& spots, const PixelsView& pixels, const FrameSystem& system,
                      cudaStream_t stream);

/// Factors all N_ss, including their prior.
void factor_frame(const FrameSystem& system, cudaStream_t stream);

/// Runs sweeps [first, last) of the bundles of some fibers that have not converged: f_s = N_ss^-1
/// (y_s - sum_t N_st f_t) for every second fiber, then for the others.
void sweep_frame(const FrameSystem& system, int first, int last, const ColoredRange& fibers,
                 cudaStream_t stream);

/// Replaces f of the patches by f of the frame in bins on the extended grid, and writes N_ss f to
/// g. One block per spectrum of a patch.
void put_frame_flux(const FiberBatch& batch, const FrameSystem& system, double* f, double* g,
                    cudaStream_t stream);

}  // namespace spex::gpu
