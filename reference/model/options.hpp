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

/// What f is in flux = Q f / r: the patch's own, which lacks the light of bins beyond its padding
/// (the default, as production), or that of the whole frame.
enum class FluxSolver { patch, frame };

/// Pixels that chi2pix counts (section 6): all that have a weight, as gpu_specter's NumPy path, or
/// those of them where the model is positive, as its GPU path.
enum class Chi2Pixels { weighted, bright };

/// Wavelength grid, wave_w = wmin + w dw up to wmax + dw/2 (exclusive); Angstrom.
struct WaveRange {
  double wmin = 0;  ///< Angstrom
  double wmax = 0;  ///< Angstrom
  double dw = 0;    ///< Angstrom
};

/// What is extracted, and how; names and defaults as the command line has them.
struct ExtractOptions {
  std::optional<WaveRange> wavelength;            ///< the camera's own grid where absent
  int specmin = 0;                                ///< first fiber, counted from 0 in the PSF
  std::optional<int> nspec;                       ///< all fibers from specmin where absent
  double regularize = 0;                          ///< lambda of bins that the data do determine
  int bundlesize = 25;                            ///< fibers of a bundle
  int nsubbundles = 5;                            ///< parts of a bundle
  int nwavestep = 50;                             ///< core bins of a patch
  int wavepad = 10;                               ///< bins of padding asked for, on either side
  double pixpad_frac = 0.8;                       ///< part of the padding's rows that is used
  double wavepad_frac = 0.2;                      ///< part of `wavepad` by which it is widened
  std::optional<double> psferr;                   ///< the PSF file's where absent
  std::uint32_t mask_bits = ccdmask::rejected;    ///< pixels with any of these are not used
  bool model = false;                             ///< compute the model image too
  Method method = Method::eigh;                   ///< how N is inverted
  Decorrelate decorrelate = Decorrelate::signal;  ///< which errors are uncorrelated
  FluxSolver flux = FluxSolver::patch;            ///< whose f the flux is made of
  Chi2Pixels chi2_pixels = Chi2Pixels::weighted;  ///< which pixels chi2pix counts
  Milestone milestone = Milestone::cpu_refactor;  ///< how the work is organized

  /// Spectra that are extracted, of a PSF of `nfiber` fibers.
  [[nodiscard]] int nspec_of(int nfiber) const { return nspec.value_or(nfiber - specmin); }
};

/// As on the command line.
[[nodiscard]] std::string to_string(Decorrelate decorrelate);
/// As on the command line.
[[nodiscard]] std::string to_string(FluxSolver flux);
/// As on the command line.
[[nodiscard]] std::string to_string(Chi2Pixels pixels);

}  // namespace spex
