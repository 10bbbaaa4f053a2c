// Options of a simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/model/camera.hpp"
#include "reference/sim/cosmics.hpp"
#include "reference/sim/cut_psf.hpp"
#include "reference/sim/detector.hpp"
#include "reference/sim/flavor.hpp"

namespace spex {

/// Compression of the preproc files.
enum class Compress { none, gz, fz };

/// The files to write.
enum class SimFiles {
  all,
  inputs,  ///< PSF and image without the seed in their headers: a benchmark's inputs
  truth,   ///< only the truth, byte-identical to `all`, without simulating the image
};

/// The name on the command line.
[[nodiscard]] std::string to_string(SimFiles files);
/// The name on the command line.
[[nodiscard]] std::string to_string(IvarOf ivar);
/// The name on the command line.
[[nodiscard]] std::string to_string(Compress compress);

/// Options of a simulation.
struct SimOptions {
  std::string folder;                  ///< output folder
  std::vector<Camera> cameras;         ///< cameras, each with its own files
  std::uint64_t seed = 1;              ///< seed of all random numbers
  SimSize size = SimSize::full;        ///< simulated part of each camera
  std::optional<std::string> psf;      ///< PSF file that replaces the synthetic PSF
  std::optional<std::string> spectra;  ///< file of the spectra, in place of simulated ones
  Flavor flavor = Flavor::science;     ///< light source
  int expid = 1;                       ///< number of the first exposure, 0 to 99999999
  int exposures = 1;                   ///< number of exposures, with ascending expid
  double psf_shift = 0;                ///< maximal shift of an exposure's spots in x and y, pixels
  int night = 20240101;                ///< YYYYMMDD
  double exptime = 900;                ///< s
  IvarOf ivar = IvarOf::expected;      ///< electrons that determine the variance
  CosmicOptions cosmics;               ///< number of cosmic rays, and of those that MASK misses
  bool on_grid = false;                ///< whether the truth uses the extraction's wavelengths
  Compress compress = Compress::none;  ///< compression of the preproc files
  int compress_level = 9;              ///< of zlib, 1 to 9; that of Compress::gz
  SimFiles files = SimFiles::all;      ///< files to write
  bool overwrite = false;              ///< whether to replace existing files
  int threads = 1;                     ///< the files do not depend on it
  bool show_progress = false;          ///< show progress on stderr
  std::string program;                 ///< program name in the headers
};

/// Throws Error(usage) for impossible options: no folder name; --expid, --exposures, --night,
/// --exptime, --psf-shift, --cosmics, --unmasked-cosmics, --compress-level or --threads out of
/// range;
/// --psf or --spectra with several cameras.
void check_options(const SimOptions& options);

}  // namespace spex
