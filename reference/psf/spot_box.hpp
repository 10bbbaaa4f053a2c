// A spot that is made pixel by pixel, in the box of its fiber's spots.
#pragma once

#include "reference/psf/fiber_psf.hpp"

namespace spex {

/// A block of pixels of the CCD.
struct PixelBlock {
  const double* pixels = nullptr;  ///< [ny][nx]
  int nx = 0;                      ///< columns
  int ny = 0;                      ///< rows
  int x = 0;                       ///< column of the first pixel
  int y = 0;                       ///< row of the first pixel
};

/// The spots of one fiber that are made one by one.
class SingleSpots : public FiberPsf {
 public:
  /// Of fiber `fiber`; `psf` must outlive it.
  SingleSpots(const Psf& psf, int fiber) : psf_(psf), fiber_(fiber) {}

  void evaluate(const double* lambda, int count, SpotShape* shape, double* value) final;

 protected:
  /// Adds the spot at `lambda` with this center to a box of zeros.
  virtual void add_spot(double lambda, const Center& center, double* box) = 0;

  [[nodiscard]] const Psf& psf() const { return psf_; }  ///< the PSF
  [[nodiscard]] int fiber() const { return fiber_; }     ///< the fiber's number

  /// Copies pixels into the box of a spot with this center. They must lie within it.
  void place(const PixelBlock& block, const Center& center, double* box) const;

 private:
  const Psf& psf_;
  int fiber_;
};

}  // namespace spex
