// Small synthetic PSFs and images for tests, simple enough to check by hand.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "reference/core/count.hpp"
#include "reference/model/preproc.hpp"
#include "reference/model/psf.hpp"

namespace spex::test {

struct PsfShape {
  int nfiber = 3;
  int nx = 40;  ///< CCD columns
  int ny = 60;  ///< CCD rows
  int hsizex = 3;
  int hsizey = 2;
  int degree = 2;          ///< Gauss-Hermite, both axes
  double x_first = 8;      ///< column of fiber 0
  double x_spacing = 6;    ///< columns between fibers
  double y_middle = 30;    ///< row at 1000 Angstrom
  double y_per_bin = 1.5;  ///< rows per Angstrom
};

/// A PSF over 950 to 1050 Angstrom with straight, slightly tilted traces. Widths and asymmetries
/// differ between fibers, so that symmetry cannot hide errors.
inline Psf make_psf(const PsfShape& shape = {}) {
  Psf psf;
  psf.nfiber = shape.nfiber;
  psf.hsizex = shape.hsizex;
  psf.hsizey = shape.hsizey;
  psf.ghdegx = psf.ghdegy = shape.degree;
  psf.npix_x = shape.nx;
  psf.npix_y = shape.ny;
  psf.wavemin = psf.xtrace.wavemin = psf.ytrace.wavemin = 950;
  psf.wavemax = psf.xtrace.wavemax = psf.ytrace.wavemax = 1050;
  psf.xtrace.ncoeff = psf.ytrace.ncoeff = psf.ncoeff = 2;
  psf.param.assign(psf.nparam() * psf.nfiber * psf.ncoeff, 0.0);
  const auto set = [&](int parameter, int fiber, double value, double slope) {
    const std::size_t first = (parameter * psf.nfiber + fiber) * psf.ncoeff;
    psf.param[first] = value;
    psf.param[first + 1] = slope;
  };
  const auto gh = [&](int i, int j) { return 2 + i * (psf.ghdegy + 1) + j; };
  for (int s = 0; s < psf.nfiber; ++s) {
    psf.xtrace.coeff.insert(psf.xtrace.coeff.end(),
                            {shape.x_first + s * shape.x_spacing + 0.13, 0.7});
    psf.ytrace.coeff.insert(psf.ytrace.coeff.end(),
                            {shape.y_middle + 0.21 * s, 50 * shape.y_per_bin});
    set(0, s, 1.05 + 0.02 * s, 0.03);
    set(1, s, 0.95 + 0.01 * s, -0.02);
    set(gh(0, 0), s, 1, 0);
    if (shape.degree >= 1) set(gh(1, 0), s, 0.02, 0.01);
    if (shape.degree >= 2) {
      set(gh(2, 0), s, 0.05, 0.01);
      set(gh(0, 2), s, -0.03 - 0.01 * s, 0.005);
      set(gh(1, 1), s, 0.04, 0.01);
    }
  }
  return psf;
}

/// Gives a PSF the rows TAIL* of all fibers but `without`; its kind stays.
inline void add_tails(Psf& psf, int without) {
  psf.tail.assign(count_of(5 * psf.nfiber, psf.ncoeff), 0.0);
  for (int s = 0; s < psf.nfiber; ++s) {
    const double rows[5] = {s == without ? 0 : 2e-3 + 1e-4 * s, 1.3, 1.1, 0.9 + 0.01 * s, 1.7};
    for (int p = 0; p < 5; ++p) {
      double* const coeff = psf.tail.data() + count_of(p * psf.nfiber + s, psf.ncoeff);
      coeff[0] = rows[p];
      if (psf.ncoeff > 1) coeff[1] = 0.1 * rows[p];
    }
  }
}

/// Good pixels of value 20 to 120 and weight 0.01 to 0.11 times `scale`, from a fixed seed.
inline Pixels make_pixels_of_noise(int nx, int ny, std::uint64_t seed = 1, double scale = 1) {
  std::vector<double> value, weight;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < nx * ny; ++i) {
    value.push_back(20 + 100 * uniform(random));
    weight.push_back(scale * (0.01 + 0.1 * uniform(random)));
  }
  return {nx, ny, Reals(std::move(value)), Reals(std::move(weight))};
}

}  // namespace spex::test
