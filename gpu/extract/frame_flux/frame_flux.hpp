// f of the whole frame on the GPU: one band per fiber over all wavelengths, and sweeps over the
// fibers of each bundle (extraction.md, section 5.2); the counterpart of
// reference/extract/frame_flux.hpp.
#pragma once

#include "gpu/extract/normal_equations/fiber_bands.hpp"
#include "gpu/extract/normal_equations/prior.hpp"
#include "reference/extract/frame_flux.hpp"

namespace spex::gpu {

/// The position of a fiber in its bundle, within the spots of a batch.
struct BundleOfFiber {
  int begin = 0;   ///< first fiber of the bundle
  int end = 0;     ///< one past the last
  int bundle = 0;  ///< index among the batch's bundles
};

/// Fibers [begin, end) of a batch.
struct FiberRange {
  int begin = 0;
  int end = 0;
};

/// The systems of all fibers of a batch, `[fiber][bin of FrameBands]` unless stated otherwise.
struct FrameSystem {
  FrameBands bands;
  int m = 0;         ///< bins of the extended grid, which are the first bins of FrameBands
  int before = 0;    ///< bins of the patches' view before the first of FrameBands
  int nbundles = 0;  ///< bundles that the batch contains completely
  double foreseen = frame_bounds::foreseen;  ///< of frame_bounds::ended
  /// `[fiber]`; begin = end for a fiber of an incomplete bundle.
  const BundleOfFiber* place = nullptr;
  double* prior = nullptr;  ///< the prior's contribution to the diagonal
  double* factor =
      nullptr;  ///< `[fiber]`, frame_factor_numbers each: factors by block cyclic reduction
  double* sides =
      nullptr;          ///< `[fiber]`, frame_side_numbers each: right-hand sides of half a sweep
  double* f = nullptr;  ///< electron
  /// The largest change in each sweep over the bundle's bins, times sqrt(N_jj): `[sweep][bundle]`.
  double* moved = nullptr;
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

/// Computes the prior's contribution to each bin of the extended grid, with m of the patch whose
/// core contains the bin, or of the nearest patch for bins beyond the grid's `nwave` bins.
void find_frame_prior(const BatchView& batch, int nwave, const PriorInput& input,
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
void sweep_frame(const FrameSystem& system, int first, int last, const FiberRange& fibers,
                 cudaStream_t stream);

/// Replaces f of the patches by f of the frame in bins on the extended grid, and writes N_ss f to
/// g. One block per spectrum of a patch.
void put_frame_flux(const FiberBatch& batch, const FrameSystem& system, double* f, double* g,
                    cudaStream_t stream);

}  // namespace spex::gpu
