// The test of the pixels of whole bundles against their model, on the GPU (extraction.md, section
// 5.3); the counterpart of BundleTest in reference/extract/reject_pixels.cpp.
#pragma once

#include <climits>
#include <cstdint>

#include "gpu/extract/batch/quality.hpp"
#include "gpu/extract/frame_flux/frame_flux.hpp"

namespace spex::gpu {

/// The bundles whose pixels are tested, in device memory. Fibers and bins are those of the system.
struct TestedBundles {
  /// Columns [x0, x1) of the CCD.
  struct Columns {
    int x0 = INT_MAX;
    int x1 = INT_MIN;

    [[nodiscard]] SPEX_HD bool hold(int x) const { return x >= x0 && x < x1; }
  };
  FrameSystem system;
  const BundleOfFiber* bundles = nullptr;  ///< `[bundle]`; begin = end: not tested
  Columns* columns = nullptr;              ///< `[bundle]`: where spots are tested, in any row
  Columns* lit = nullptr;     ///< `[bundle][row]`: what spots of the bundle reach in a row
  double* inverse = nullptr;  ///< `[fiber]`, inverse_numbers each: N_ss^-1
  const std::uint16_t* marks = nullptr;  ///< bundle + 1 of each pixel rejected before, else 0
  bool marked = false;                   ///< whether any pixel was rejected before
  RowBinsView rows;                      ///< of all bins
  RowBinsView tested_rows;               ///< of the bins whose spots are tested
  double* model = nullptr;  ///< the CCD; set by find_pixels where spots of a bundle are
  double threshold = 0;     ///< sigmas
  double psferr = 0;        ///< fractional model error

  [[nodiscard]] SPEX_HD Columns& lit_of(unsigned bundle, int y) const {
    return lit[static_cast<size_t>(bundle) * rows.ny_ccd + y];
  }
};

/// Size of the blocks of N_ss^-1 of a fiber of m bins, in doubles.
[[nodiscard]] std::size_t inverse_numbers(int reach, int m);

/// N_ss^-1 within its band, of the fibers that the system solves, from their factors. One thread
/// block per fiber, then one per segment of a fiber.
void invert_fibers(const FrameSystem& system, double* inverse, cudaStream_t stream);

/// Sets `lit` and `columns`, which must hold default values, of `nbundles` bundles on a CCD of nx
/// columns.
void find_columns(const TestedBundles& tested, int nbundles, const SpotsView& spots, int nx,
                  cudaStream_t stream);

/// A pixel above the threshold.
struct FoundPixel {
  std::uint32_t place = 0;   ///< y nx + x of the CCD
  std::uint32_t bundle = 0;  ///< index among the tested bundles
};

/// Pixels that a test found, in device memory and in no order.
struct FoundPixels {
  FoundPixel* pixels = nullptr;
  int capacity = 0;
  int* count = nullptr;  ///< may exceed the capacity: the others are lost
};

/// Finds the pixels above the threshold, into `found` with a count of 0. No two of the bundles may
/// have spots that reach the same pixel. Changes `model` and nothing else.
void find_pixels(const TestedBundles& tested, const SpotsView& spots, const PixelsView& pixels,
                 const FoundPixels& found, cudaStream_t stream);

}  // namespace spex::gpu
