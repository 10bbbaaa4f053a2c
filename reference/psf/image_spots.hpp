// Spots made of images in the PSF file: specter's kinds SPOTGRID, MONOSPOT and PCA-PIX
// (extraction.md, section 2.2).
#pragma once

#include <vector>

#include "reference/psf/spot_box.hpp"

namespace spex {

/// The half size of the box for spots of `n` pixels: of SPOTGRID and MONOSPOT those from floor(X) -
/// n / 2 + 1 on, of PCA-PIX (n odd) those around the center's.
[[nodiscard]] constexpr int box_of_images(PsfKind kind, int n) {
  return kind == PsfKind::pca_pix ? n / 2 : (n + 1) / 2;
}

/// The pixels of the CCD along one axis that a spot of `n` fine pixels takes at any place.
[[nodiscard]] constexpr int coarse_pixels(int n, int scale) {
  return n / scale + 1;
}

/// SPOTGRID: images between places on the slit and wavelengths, interpolated and shifted linearly.
class SpotGrid final : public SingleSpots {
 public:
  using SingleSpots::SingleSpots;

 private:
  void add_spot(double lambda, const Center& center, double* box) override;
};

/// MONOSPOT: one image, shifted by whole fine pixels, and by sincs within them.
class MonoSpot final : public SingleSpots {
 public:
  using SingleSpots::SingleSpots;

 private:
  void add_spot(double lambda, const Center& center, double* box) override;
};

/// PCA-PIX: images times polynomials of the place on the CCD, shifted by sincs.
class PcaPix final : public SingleSpots {
 public:
  using SingleSpots::SingleSpots;

 private:
  void add_spot(double lambda, const Center& center, double* box) override;
};

}  // namespace spex
