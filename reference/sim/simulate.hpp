// Simulates exposures: the frames and truths of cameras.
#pragma once

#include <string>
#include <vector>

#include "reference/model/camera.hpp"
#include "reference/model/psf.hpp"
#include "reference/sim/cosmics.hpp"
#include "reference/sim/detector.hpp"
#include "reference/sim/read_spectra.hpp"
#include "reference/sim/sim_options.hpp"
#include "reference/sim/spectra.hpp"
#include "reference/sim/targets.hpp"
#include "reference/sim/write_psf.hpp"

namespace spex {

/// One simulated camera.
struct SimFrame {
  Psf psf;                           ///< PSF of the frame's CCD
  SpotShift shift;                   ///< of its spots, included in `psf`
  Truth truth;                       ///< simulated spectra
  std::vector<CosmicPixel> cosmics;  ///< pixels of cosmic rays
  std::vector<Target> targets;       ///< one per fiber
  CcdImage ccd;                      ///< CCD image
};

/// Simulates one camera of the first exposure, without `ccd` if `files` is `truth`. `psf` is the
/// whole camera's, `psf_name` its name in errors. The result does not depend on the number of
/// threads. `spectra`, of read_spectra, replace the simulated ones unless null. Throws Error(data)
/// if the PSF does not cover the camera's wavelengths, or the spectra are not of its fibers.
[[nodiscard]] SimFrame simulate_camera(const SimOptions& options, const Camera& camera,
                                       const Psf& psf, const std::string& psf_name,
                                       const GivenSpectra* spectra = nullptr);

/// Simulates all cameras of all exposures and writes psf-, truth- and preproc-CAMERA-EXPID.fits, as
/// selected by `files`. Creates the folder if its parent exists. Without `overwrite` an existing
/// file, plain, .gz or .fz, is an error before any work; with it, each new file replaces those of
/// all these forms. Throws Error.
void simulate(const SimOptions& options);

}  // namespace spex
