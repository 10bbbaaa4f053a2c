// f of the whole frame on the GPU: each fiber over all wavelengths as a band, and sweeps over the
// fibers of each bundle (extraction.md, section 5.2).
#pragma once

#include "gpu/extract/fiber_bands.hpp"
#include "reference/extract/frame_flux.hpp"

namespace spex::gpu {

/// Where a fiber stands among those of its bundle, in the spots of a batch.
struct BundleOfFiber {
  int begin = 0;   ///< first fiber of the bundle
  int end = 0;     ///< one past the last
  int bundle = 0;  ///< counted from the batch's first
};

/// The systems of all fibers of a batch, `[fiber][bin of FrameBands]` where nothing else is said.
struct FrameSystem {
  FrameBands bands;
  int m = 0;         ///< bins of the extended grid, the first of FrameBands
  int nbundles = 0;  ///< bundles that the batch holds whole
  /// `[fiber]`; a fiber of no bundle that the batch holds whole has begin = end.
  const BundleOfFiber* place = nullptr;
  double* prior = nullptr;   ///< what it adds to the diagonal
  double* factor = nullptr;  ///< `[fiber]`, frame_factor_numbers each: by block cyclic reduction
  double* sides = nullptr;   ///< `[fiber]`, frame_side_numbers each: of one half of a sweep
  double* f = nullptr;       ///< electron
  /// What each sweep has moved, the largest of the bundle's bins times sqrt(N_jj):
  /// `[sweep][bundle]`.
  double* moved = nullptr;
  /// `[bundle]`: it cannot be solved so. A pivot is not positive, or fibers two or more apart share
  /// light.
  int* refused = nullptr;
};

/// Sweeps at most; a bundle that has settled before is left alone. Three or four are the rule.
inline constexpr int most_frame_sweeps = frame_bounds::most_sweeps;

/// Whether the GPU has the shared memory for the sweeps of fibers of m bins.
[[nodiscard]] bool frame_fits(int reach, int m);

/// Numbers of the factor of a fiber of m bins.
[[nodiscard]] std::size_t frame_factor_numbers(int reach, int m);

/// Numbers of the right-hand side of a fiber of m bins.
[[nodiscard]] std::size_t frame_side_numbers(int reach, int m);

/// What the prior adds to each bin of the extended grid: with m of the patch in whose core it lies,
/// or the nearest beyond the grid's `nwave` bins. `q` is that of all padded bins of the patches.
void find_frame_prior(const PatchGeometry* patches, int count, int nwave, const BinStrides& strides,
                      const double* q, double regularize, int first_spec, const FrameSystem& system,
                      cudaStream_t stream);

/// Sets f to 0, and no bundle is refused.
void begin_frame(const FrameSystem& system, cudaStream_t stream);

/// Refuses bundles of which fibers two or more apart share more light than fiber_bounds::far, in
/// units of their N_jj with the prior.
void refuse_far_light(const SpotsView& spots, const PixelsView& pixels, const FrameSystem& system,
                      cudaStream_t stream);

/// Factors all N_ss, with their prior.
void factor_frame(const FrameSystem& system, cudaStream_t stream);

/// Sweeps [first, last) of all bundles that had not settled in the one before: f_s = N_ss^-1 (y_s -
/// sum_t N_st f_t), of every second fiber, then of the others.
void sweep_frame(const FrameSystem& system, int first, int last, cudaStream_t stream);

/// Puts f of the frame into the bins of patches that lie on the extended grid, in place of their
/// own, and N_ss f into g. A block a spectrum of a patch.
void put_frame_flux(const PatchGeometry* patches, int count, const FiberLayout& layout,
                    const FiberBands& bands, int first_spec, const FrameSystem& system, double* f,
                    double* g, cudaStream_t stream);

}  // namespace spex::gpu
