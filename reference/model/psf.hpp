// The PSF model of a camera, as stored in its file (extraction.md, section 1): plain data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/model/fields.hpp"

namespace spex {

/// Legendre coefficients of one quantity: `coeff[fiber * ncoeff + d]`, in the wavelength variable
/// u = 2 (lambda - wavemin) / (wavemax - wavemin) - 1.
struct Trace {
  double wavemin = 0;         ///< Angstrom, where u = -1
  double wavemax = 0;         ///< Angstrom, where u = +1
  int ncoeff = 0;             ///< Legendre degree + 1
  std::vector<double> coeff;  ///< [fiber][ncoeff]
};

/// All fields of a Trace.
template <MaybeConst<Trace> T>
auto fields(T& trace) {
  auto& [wavemin, wavemax, ncoeff, coeff] = trace;
  return std::tie(wavemin, wavemax, ncoeff, coeff);
}

/// What a file says of the fit of its PSF: indices of the fibers of which not all is well,
/// ascending (extraction.md, section 1).
struct PsfFit {
  std::vector<int> failed;    ///< STATUS is not 0
  std::vector<int> unfitted;  ///< BnnRCHI2 of the fiber's bundle is 0
  std::vector<int> tails;     ///< TAILAMP is not 0; the extraction ignores tails
};

/// All fields of a PsfFit.
template <MaybeConst<PsfFit> T>
auto fields(T& fit) {
  auto& [failed, unfitted, tails] = fit;
  return std::tie(failed, unfitted, tails);
}

/// Gauss-Hermite PSF of all fibers of one camera.
struct Psf {
  int nfiber = 0;        ///< number of fibers
  int hsizex = 0;        ///< half width of a spot, which has 2 hsizex + 1 columns
  int hsizey = 0;        ///< half height of a spot, which has 2 hsizey + 1 rows
  int ghdegx = 0;        ///< Gauss-Hermite degree in x
  int ghdegy = 0;        ///< Gauss-Hermite degree in y
  int npix_x = 0;        ///< columns of the CCD
  int npix_y = 0;        ///< rows of the CCD
  int fibermin = 0;      ///< FIBER of fiber 0
  std::string camera;    ///< CAMERA of the HDU PSF as a header_word, e.g. "r0"; empty if absent
  double psferr = 0.01;  ///< fractional model error (PSFERR, default 0.01)
  std::string in_psf;    ///< IN_PSF of the HDU PSF; empty if absent
  Trace xtrace;          ///< center column X, pixels
  Trace ytrace;          ///< center row Y, pixels
  double wavemin = 0;    ///< Angstrom, range of `param`
  double wavemax = 0;    ///< Angstrom
  int ncoeff = 0;        ///< LEGDEG + 1
  /// `param[(p * nfiber + fiber) * ncoeff + d]`; p = 0 is GHSIGX, 1 is GHSIGY (pixels),
  /// 2 + i (ghdegy + 1) + j is GH-i-j.
  std::vector<double> param;
  PsfFit fit;  ///< what its file says of the fit

  [[nodiscard]] int nx() const { return 2 * hsizex + 1; }  ///< columns of a spot
  [[nodiscard]] int ny() const { return 2 * hsizey + 1; }  ///< rows of a spot
  /// Number of parameters of a fiber.
  [[nodiscard]] int nparam() const { return 2 + (ghdegx + 1) * (ghdegy + 1); }
};

/// All fields of a Psf.
template <MaybeConst<Psf> T>
auto fields(T& psf) {
  auto& [nfiber, hsizex, hsizey, ghdegx, ghdegy, npix_x, npix_y, fibermin, camera, psferr, in_psf,
         xtrace, ytrace, wavemin, wavemax, ncoeff, param, fit] = psf;
  return std::tie(nfiber, hsizex, hsizey, ghdegx, ghdegy, npix_x, npix_y, fibermin, camera, psferr,
                  in_psf, xtrace, ytrace, wavemin, wavemax, ncoeff, param, fit);
}

}  // namespace spex
