// The PSF model of a camera, as stored in its file (extraction.md, section 1): plain data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/model/members.hpp"
#include "reference/model/spot_images.hpp"

namespace spex {

/// How a PSF describes its spots: PSFTYPE of its file (extraction.md, section 2).
/// gauss_hermite_tails: GAUSS-HERMITE whose tails are part of its spots (use_tails).
enum class PsfKind {
  gauss_hermite,
  gauss_hermite_tails,
  gauss_hermite2,
  spotgrid,
  monospot,
  pca_pix
};

/// PSFTYPE, such as "GAUSS-HERMITE", or "GAUSS-HERMITE with tails".
[[nodiscard]] std::string to_string(PsfKind kind);

/// Legendre coefficients of one quantity: `coeff[fiber * ncoeff + d]`, in the wavelength variable
/// u = 2 (lambda - wavemin) / (wavemax - wavemin) - 1.
struct Trace {
  double wavemin = 0;         ///< Angstrom, where u = -1
  double wavemax = 0;         ///< Angstrom, where u = +1
  int ncoeff = 0;             ///< Legendre degree + 1
  std::vector<double> coeff;  ///< [fiber][ncoeff]

  SPEX_MEMBERS(wavemin, wavemax, ncoeff, coeff)
};

/// What a file says of the fit of its PSF: indices of the fibers of which not all is well,
/// ascending (extraction.md, section 1).
struct PsfFit {
  std::vector<int> failed;    ///< STATUS is not 0
  std::vector<int> unfitted;  ///< BnnRCHI2 of the fiber's bundle is 0
  std::vector<int> tails;     ///< TAILAMP is not 0, and tails are ignored

  SPEX_MEMBERS(failed, unfitted, tails)
};

/// The second core and the tail of a PSF of the kind GAUSS-HERMITE2.
struct SecondCore {
  int ghdegx = 0;  ///< Gauss-Hermite degree in x
  int ghdegy = 0;  ///< Gauss-Hermite degree in y
  /// As Psf::param; p = 0 is GHSIGX2, 1 is GHSIGY2 (pixels), then GHNSIG, TAILAMP, TAILCORE,
  /// TAILXSCA, TAILYSCA, TAILINDE; 8 + i (ghdegy + 1) + j is GH2-i-j.
  std::vector<double> param;

  /// Number of parameters of a fiber.
  [[nodiscard]] int nparam() const { return 8 + (ghdegx + 1) * (ghdegy + 1); }

  SPEX_MEMBERS(ghdegx, ghdegy, param)
};

/// PSF of all fibers of one camera. The boxes of spots of all kinds have their pixel at the center
/// in the middle.
struct Psf {
  PsfKind kind = PsfKind::gauss_hermite;  ///< decides which members below describe spots
  int nfiber = 0;                         ///< number of fibers
  int hsizex = 0;                         ///< half width of a spot, which has 2 hsizex + 1 columns
  int hsizey = 0;                         ///< half height of a spot, which has 2 hsizey + 1 rows
  int ghdegx = 0;                         ///< Gauss-Hermite degree in x
  int ghdegy = 0;                         ///< Gauss-Hermite degree in y
  int npix_x = 0;                         ///< columns of the CCD
  int npix_y = 0;                         ///< rows of the CCD
  int fibermin = 0;                       ///< FIBER of fiber 0
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
  /// Rows TAILAMP, TAILCORE, TAILXSCA, TAILYSCA, TAILINDE of GAUSS-HERMITE, as in `param`; empty if
  /// no fiber has a tail or a row is missing.
  std::vector<double> tail;
  SecondCore second;  ///< GAUSS-HERMITE2
  SpotImages images;  ///< SPOTGRID, MONOSPOT, PCA-PIX
  PsfFit fit;         ///< what its file says of the fit

  [[nodiscard]] int nx() const { return 2 * hsizex + 1; }  ///< columns of a spot
  [[nodiscard]] int ny() const { return 2 * hsizey + 1; }  ///< rows of a spot
  /// Whether spots have widths: those of images have none.
  [[nodiscard]] bool has_widths() const {
    return kind == PsfKind::gauss_hermite || kind == PsfKind::gauss_hermite_tails ||
           kind == PsfKind::gauss_hermite2;
  }
  /// Number of parameters of a fiber.
  [[nodiscard]] int nparam() const { return 2 + (ghdegx + 1) * (ghdegy + 1); }

  SPEX_MEMBERS(kind, nfiber, hsizex, hsizey, ghdegx, ghdegy, npix_x, npix_y, fibermin, camera,
               psferr, in_psf, xtrace, ytrace, wavemin, wavemax, ncoeff, param, tail, second,
               images, fit)
};

}  // namespace spex
