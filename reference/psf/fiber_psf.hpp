// The spots of one fiber, by the kind of its PSF (extraction.md, section 2).
#pragma once

#include <memory>

#include "reference/model/psf.hpp"
#include "reference/psf/fiber_light.hpp"
#include "reference/psf/spot_lanes.hpp"

namespace spex {

/// Makes the spots of one fiber. Nothing else depends on the kind of a PSF.
class FiberPsf {
 public:
  FiberPsf() = default;
  FiberPsf(const FiberPsf&) = delete;
  FiberPsf& operator=(const FiberPsf&) = delete;
  virtual ~FiberPsf() = default;

  /// The shapes and the pixels [ny][nx] of the spots at the first `count` of `spot_lanes`
  /// wavelengths `lambda` (Angstrom), in the boxes of spot_corner. Each spot sums to 1, or to 0 if
  /// it has no positive pixel or its center means nothing.
  virtual void evaluate(const double* lambda, int count, SpotShape* shape, double* value) = 0;
};

/// The spots of fiber `fiber`. `psf` must outlive them.
[[nodiscard]] std::unique_ptr<FiberPsf> psf_of_fiber(const Psf& psf, int fiber);

}  // namespace spex
