// Images of spots in a PSF file, of specter's kinds SPOTGRID, MONOSPOT and PCA-PIX (extraction.md,
// section 2.2): plain data.
#pragma once

#include <vector>

#include "reference/model/members.hpp"

namespace spex {

/// Where a SPOTGRID has its images: image (p, w) is number `p * wave.size() + w`.
struct SpotGridAxes {
  std::vector<double> slit;   ///< SPOTPOS, places on the slit, ascending
  std::vector<double> wave;   ///< SPOTWAVE, Angstrom, ascending
  std::vector<double> fiber;  ///< FIBERPOS, place of each fiber on the slit

  SPEX_MEMBERS(slit, wave, fiber)
};

/// The place of a fiber in the polynomials of a PCA-PIX: x = xscale (X - x0), likewise y.
struct PcaFiber {
  int group = 0;      ///< its images start at number `group * terms`
  double x0 = 0;      ///< pixel
  double xscale = 0;  ///< 1 / pixel
  double y0 = 0;      ///< pixel
  double yscale = 0;  ///< 1 / pixel

  bool operator==(const PcaFiber& other) const = default;  ///< all members equal
};

/// A term of a PCA-PIX: its image counts x^xexp y^yexp times.
struct PcaTerm {
  int xexp = 0;  ///< exponent of x
  int yexp = 0;  ///< exponent of y

  bool operator==(const PcaTerm& other) const = default;  ///< all members equal
};

/// The images, and how spots are made of them.
struct SpotImages {
  int nx = 0;                 ///< columns of an image
  int ny = 0;                 ///< rows of an image
  int scale = 1;              ///< pixels of an image along one of the CCD's; PCA-PIX: 1
  std::vector<double> value;  ///< [image][ny][nx]; MONOSPOT: one image
  SpotGridAxes grid;          ///< SPOTGRID
  std::vector<PcaTerm> term;  ///< PCA-PIX
  std::vector<PcaFiber> pca;  ///< PCA-PIX, [nfiber]

  SPEX_MEMBERS(nx, ny, scale, value, grid, term, pca)
};

}  // namespace spex
