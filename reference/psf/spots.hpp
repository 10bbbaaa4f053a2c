// Spots of a range of fibers and wavelengths (extraction.md, section 2).
#pragma once

#include <cstddef>
#include <vector>

#include "reference/core/count.hpp"
#include "reference/core/simd/aligned.hpp"
#include "reference/model/psf.hpp"
#include "reference/psf/fiber_light.hpp"

namespace spex {

/// PSF spots, spectra-major: spot (s, w) is `value[((s * nwave + w) * ny + y) * nx + x]`, and its
/// lower-left CCD pixel is (xc[s * nwave + w], yc[s * nwave + w]). s counts from the first
/// requested fiber. A bin without light (section 2.1) has zeros at the pixel (dark_corner,
/// dark_corner).
struct Spots {
  int nspec = 0;         ///< fibers
  int nwave = 0;         ///< wavelengths per fiber
  int nx = 0;            ///< columns of a spot
  int ny = 0;            ///< rows of a spot
  AlignedDoubles value;  ///< each spot sums to 1, or to 0 without light
  std::vector<int> xc;   ///< first column of each spot
  std::vector<int> yc;   ///< first row of each spot

  /// Index of spot (s, w) in `xc` and `yc`.
  [[nodiscard]] std::size_t index(int s, int w) const { return count_of(s, nwave) + w; }
  /// Whether bin (s, w) has light.
  [[nodiscard]] bool is_lit(int s, int w) const { return xc[index(s, w)] != dark_corner; }
  /// The pixels of spot (s, w), rows first.
  [[nodiscard]] const double* spot(int s, int w) const {
    return value.data() + index(s, w) * static_cast<std::size_t>(nx * ny);
  }
};

/// Spots of fibers [fiber, fiber + nspec) at wavelengths `wave` (Angstrom), computed by `threads`
/// threads. Throws Error(data) if a spot is broken (section 2.1).
[[nodiscard]] Spots evaluate_spots(const Psf& psf, int fiber, int nspec,
                                   const std::vector<double>& wave, int threads = 1);

/// The last spots of each fiber.
struct LastSpots {
  const Spots* of = nullptr;  ///< null where `count` is 0
  int count = 0;              ///< wavelengths
};
/// The same as evaluate_spots where the spots `known`, of the same fibers, are at the first
/// wavelengths of `wave`: they are copied.
[[nodiscard]] Spots continue_spots(const LastSpots& known, const Psf& psf, int fiber, int nspec,
                                   const std::vector<double>& wave, int threads);

/// The same without `value`: where the spots are.
[[nodiscard]] Spots place_spots(const Psf& psf, int fiber, int nspec,
                                const std::vector<double>& wave);

/// Allocates spots of `nspec` fibers at `nwave` wavelengths; pixels are uninitialized.
[[nodiscard]] Spots make_spots(const Psf& psf, int nspec, int nwave);
/// The light of a fiber at the wavelengths `wave` (Angstrom), in any order.
[[nodiscard]] FiberLight light_of(const Psf& psf, int fiber, const std::vector<double>& wave);
/// A spot of a fiber.
struct SpotOfFiber {
  int fiber = 0;      ///< of the PSF
  double lambda = 0;  ///< Angstrom
  SpotShape shape;    ///< place and widths
};
/// Sets the corner of spot (s, w). Returns whether it has light. Throws Error(data) if it is
/// broken.
bool place_spot(const Psf& psf, const FiberLight& light, const SpotOfFiber& spot, int s, int w,
                Spots& spots);

}  // namespace spex
