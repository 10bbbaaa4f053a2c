// What the extraction of patches takes, with production's names and defaults.
#pragma once

#include <optional>

#include "reference/model/choices.hpp"

namespace spex {

/// Options of the extraction of patches; names and defaults as on the command line.
struct ExtractOptions {
  int specmin = 0;                                ///< first fiber, counted from 0 in the PSF
  std::optional<int> nspec;                       ///< if absent, all fibers from specmin
  double regularize = 0;                          ///< lambda of bins that the data determine
  int bundlesize = 25;                            ///< fibers of a bundle
  int nsubbundles = 5;                            ///< parts of a bundle
  int nwavestep = 50;                             ///< core bins of a patch
  int wavepad = 10;                               ///< requested padding bins on either side
  double pixpad_frac = 0.8;                       ///< used fraction of the padding's rows
  double wavepad_frac = 0.2;                      ///< `wavepad` is widened by this fraction
  std::optional<int> ndiag;                       ///< diagonals of R; if absent, HSIZEY
  std::optional<double> psferr;                   ///< if absent, the PSF file's value
  bool model = false;                             ///< also compute the model image
  bool write_f = false;                           ///< also return f, before reconvolution
  Method method = Method::eigh;                   ///< how N is inverted
  Decorrelate decorrelate = Decorrelate::signal;  ///< which errors are decorrelated
  FluxSolver flux = FluxSolver::patch;            ///< source of f for the flux
  Chi2Pixels chi2_pixels = Chi2Pixels::weighted;  ///< pixels that chi2pix counts
  Bad2dFit bad2dfit = Bad2dFit::relative;         ///< rule of BAD2DFIT
  /// Sigmas above the model at which a pixel is rejected (section 5.3); if absent, none is.
  std::optional<double> reject_pixels;
  Milestone milestone = milestone_of_options;  ///< the milestone

  /// Number of extracted spectra for a PSF of `nfiber` fibers.
  [[nodiscard]] int nspec_of(int nfiber) const { return nspec.value_or(nfiber - specmin); }
  /// Stored diagonals of R on either side of the main one, for spots of 2 `hsizey` + 1 rows.
  [[nodiscard]] int ndiag_of(int hsizey) const { return ndiag.value_or(hsizey); }
};

/// Number of padding bins on either side: P + int(P wavepad_frac).
[[nodiscard]] int effective_wavepad(int wavepad, double wavepad_frac);

}  // namespace spex
