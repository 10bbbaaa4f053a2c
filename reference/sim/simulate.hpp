// Simulates an exposure: the frames of some cameras, and the truth of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/model/camera.hpp"
#include "reference/model/psf.hpp"
#include "reference/sim/cut_psf.hpp"
#include "reference/sim/detector.hpp"
#include "reference/sim/flavor.hpp"
#include "reference/sim/spectra.hpp"
#include "reference/sim/targets.hpp"

namespace spex {

/// Compression of the preproc files.
enum class Compress { none, gz, fz };

/// Which files are written.
enum class SimFiles {
  all,
  inputs,  ///< PSF and image, whose headers do not name the seed: a benchmark's inputs
  truth,   ///< the truth alone, of the same bytes as with `all`, and without the work of an image
};

/// As on the command line.
[[nodiscard]] std::string to_string(SimFiles files);
/// As on the command line.
[[nodiscard]] std::string to_string(IvarOf ivar);
/// As on the command line.
[[nodiscard]] std::string to_string(Compress compress);

/// What is simulated.
struct SimOptions {
  std::string folder;               ///< that the files are written to
  std::vector<Camera> cameras;      ///< a file of each kind for every one
  std::uint64_t seed = 1;           ///< of all random numbers
  SimSize size = SimSize::full;     ///< how much of each camera
  std::optional<std::string> psf;   ///< a PSF file in place of our own
  Flavor flavor = Flavor::science;  ///< what the fibers see
  int expid = 1;                    ///< of the first exposure, 0 to 99999999
  int exposures = 1;                ///< how many, with ascending expid
  double psf_shift = 0;  ///< pixels by which the spots of an exposure may lie elsewhere in x and y
  int night = 20240101;  ///< YYYYMMDD
  double exptime = 900;  ///< s
  IvarOf ivar = IvarOf::expected;      ///< what the variance is computed from
  bool on_grid = false;                ///< the truth has the extraction's wavelengths
  Compress compress = Compress::none;  ///< of the preproc files
  SimFiles files = SimFiles::all;      ///< which are written
  int threads = 1;                     ///< the files do not depend on it
  bool show_progress = false;          ///< on stderr
  std::string program;                 ///< named in the headers
};

/// One simulated camera.
struct SimFrame {
  Psf psf;                      ///< of the frame's CCD
  Truth truth;                  ///< what was put in
  std::vector<Target> targets;  ///< a fiber each
  CcdImage ccd;                 ///< what is read out
};

/// Throws Error(usage) where the options are impossible: no folder name, --expid, --exposures,
/// --night (no such day), --exptime, --psf-shift or --threads out of range, --psf with other than
/// one camera.
void check_options(const SimOptions& options);

/// Simulates one camera of the first exposure, its `ccd` unless `files` asks for the truth alone;
/// `psf` is of the whole camera, `psf_name` what errors call it. The same for any number of
/// threads. Throws Error(data) where the PSF does not reach the camera's wavelengths.
[[nodiscard]] SimFrame simulate_camera(const SimOptions& options, const Camera& camera,
                                       const Psf& psf, const std::string& psf_name);

/// "FOLDER/KIND-CAMERA-EXPID.fits", EXPID in eight digits.
[[nodiscard]] std::string file_name(const SimOptions& options, const std::string& kind,
                                    const Camera& camera);

/// Simulates all cameras of all exposures and writes psf-, truth- and preproc-CAMERA-EXPID.fits,
/// those that `files` asks for, into the folder, which is made where its parent exists. Throws
/// Error.
void simulate(const SimOptions& options);

}  // namespace spex
