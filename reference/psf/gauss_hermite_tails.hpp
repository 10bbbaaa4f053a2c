// Spots of GAUSS-HERMITE with the tails of its rows TAIL* (extraction.md, section 2.3).
#pragma once

#include <string>

#include "reference/psf/spot_box.hpp"

namespace spex {

/// Makes the tails of a GAUSS-HERMITE PSF a part of its spots; without tails nothing changes.
/// Throws Error(data), naming `file`, if it has some rows TAIL* but not all, or a tail is not
/// finite.
void use_tails(Psf& psf, const std::string& file);

/// The spots of one fiber.
class GaussHermiteTails final : public SingleSpots {
 public:
  using SingleSpots::SingleSpots;

 private:
  void add_spot(double lambda, const Center& center, double* box) override;
};

}  // namespace spex
