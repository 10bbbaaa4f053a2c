// Parameters of an extraction, with production's names and defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reference/model/mask_bits.hpp"
#include "reference/model/milestones.hpp"

namespace spex {

/// signal: blocks of C (the default); noise: N^(1/2) of the whole patch.
enum class Decorrelate { signal, noise };

/// Selects f in flux = Q f / r: the patch's own f, which lacks the light of bins beyond the padding
/// (default, as in production), or f of the whole frame.
enum class FluxSolver { patch, frame };

/// Pixels that chi2pix counts (section 6): all weighted pixels, as gpu_specter's NumPy path, or
/// only weighted pixels with a positive model, as its GPU path.
enum class Chi2Pixels { weighted, bright };

/// The rule of BAD2DFIT (section 7): chi2pix relative to its medians, as in production since
/// desispec 0.71, or chi2pix above 100, as before.
enum class Bad2dFit { relative, chi2 };

/// Whether the tails of a PSF of the kind GAUSS-HERMITE are part of its spots (section 2.3):
/// production ignores them.
enum class PsfTails { off, on };

/// Wavelength grid, wave_w = wmin + w dw up to wmax + dw/2 (exclusive); Angstrom.
struct WaveRange {
  double wmin = 0;  ///< Angstrom
  double wmax = 0;  ///< Angstrom
  double dw = 0;    ///< Angstrom
};

/// A part of the CCD: columns xmin to xmax - 1, rows ymin to ymax - 1, counted from 0.
struct XyRange {
  int xmin = 0;  ///< first column
  int xmax = 0;  ///< column after the last one
  int ymin = 0;  ///< first row
  int ymax = 0;  ///< row after the last one

  [[nodiscard]] int nx() const { return xmax - xmin; }  ///< columns
  [[nodiscard]] int ny() const { return ymax - ymin; }  ///< rows
};
/// As on the command line: xmin,xmax,ymin,ymax.
[[nodiscard]] std::string to_string(const XyRange& range);

/// Extraction options; names and defaults as on the command line.
struct ExtractOptions {
  std::optional<WaveRange> wavelength;            ///< if absent, the camera's default grid
  int specmin = 0;                                ///< first fiber, counted from 0 in the PSF
  std::optional<int> nspec;                       ///< if absent, all fibers from specmin
  std::optional<XyRange> xyrange;                 ///< of the CCD, if the image is a cut-out
  double regularize = 0;                          ///< lambda of bins that the data determine
  int bundlesize = 25;                            ///< fibers of a bundle
  int nsubbundles = 5;                            ///< parts of a bundle
  int nwavestep = 50;                             ///< core bins of a patch
  int wavepad = 10;                               ///< requested padding bins on either side
  double pixpad_frac = 0.8;                       ///< used fraction of the padding's rows
  double wavepad_frac = 0.2;                      ///< `wavepad` is widened by this fraction
  std::optional<int> ndiag;                       ///< diagonals of R; if absent, HSIZEY
  std::optional<double> psferr;                   ///< if absent, the PSF file's value
  std::uint32_t mask_bits = ccdmask::rejected;    ///< pixels with any of these bits are rejected
  bool model = false;                             ///< also compute the model image
  bool write_f = false;                           ///< also return f, before reconvolution
  Method method = Method::eigh;                   ///< how N is inverted
  Decorrelate decorrelate = Decorrelate::signal;  ///< which errors are decorrelated
  FluxSolver flux = FluxSolver::patch;            ///< source of f for the flux
  Chi2Pixels chi2_pixels = Chi2Pixels::weighted;  ///< pixels that chi2pix counts
  Bad2dFit bad2dfit = Bad2dFit::relative;         ///< rule of BAD2DFIT
  /// Sigmas above the model at which a pixel is rejected (section 5.3); if absent, none is.
  std::optional<double> reject_pixels;
  PsfTails psf_tails = PsfTails::off;             ///< tails of spots
  Milestone milestone = Milestone::cpu_refactor;  ///< the milestone

  /// Number of extracted spectra for a PSF of `nfiber` fibers.
  [[nodiscard]] int nspec_of(int nfiber) const { return nspec.value_or(nfiber - specmin); }
  /// Stored diagonals of R on either side of the main one, for spots of 2 `hsizey` + 1 rows.
  [[nodiscard]] int ndiag_of(int hsizey) const { return ndiag.value_or(hsizey); }
};

/// Number of padding bins on either side: P + int(P wavepad_frac).
[[nodiscard]] int effective_wavepad(int wavepad, double wavepad_frac);

/// The name on the command line.
[[nodiscard]] std::string to_string(Decorrelate decorrelate);
/// The name on the command line.
[[nodiscard]] std::string to_string(FluxSolver flux);
/// The name on the command line.
[[nodiscard]] std::string to_string(Chi2Pixels pixels);
/// The name on the command line.
[[nodiscard]] std::string to_string(Bad2dFit rule);
/// The name on the command line.
[[nodiscard]] std::string to_string(PsfTails tails);

}  // namespace spex
