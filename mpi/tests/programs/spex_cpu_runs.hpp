// Runs of spex-cpu on the tiny goldens, for tests of the program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/fits/read/fits_file.hpp"
#include "reference/tests/support/process.hpp"
#include "spex_test_paths.hpp"

namespace spex::test {

inline const std::string spex_cpu = SPEX_BINARY_DIR "/bin/spex-cpu";
/// The same, but SPEX_FAULT makes phases fail (spex_cpu_with_faults.cpp).
inline const std::string spex_cpu_with_faults = SPEX_BINARY_DIR "/tests/spex-cpu-with-faults";
inline const std::string golden = SPEX_SOURCE_DIR "/golden/";

/// Options by name; an empty value stands for a flag.
using Options = std::map<std::string, std::string>;

/// The launcher: nothing, or mpirun with a number of ranks.
inline std::vector<std::string> mpirun(int ranks) {
  return {SPEX_MPIEXEC, "-n", std::to_string(ranks)};
}

/// Two bundles of five fibers in five subbundles, 21 bins in three steps: 30 patches.
inline Options tiny_b(const std::string& output) {
  return {{"-i", golden + "tiny-b/preproc.fits"},
          {"-p", golden + "tiny-b/psf.fits"},
          {"-o", output},
          {"-w", "3620,3636,0.8"},
          {"--bundlesize", "5"},
          {"--nwavestep", "8"},
          {"--wavepad", "4"},
          {"--loglevel", "error"}};
}

/// One bundle of production's 25 fibers, 26 bins in one step: 5 patches.
inline Options tiny_z(const std::string& output) {
  return {{"-i", golden + "tiny-z/preproc.fits"},
          {"-p", golden + "tiny-z/psf.fits"},
          {"-o", output},
          {"-w", "9740,9760,0.8"},
          {"--nwavestep", "26"},
          {"--loglevel", "error"},
          {"--full-precision", ""}};
}

/// Runs `launcher spex-cpu options`. Kills a run after four minutes, with status 124: waiting ranks
/// take minutes instead of a second if other processes leave them little CPU time.
inline Finished run_spex_cpu(const Options& options, const std::vector<std::string>& launcher = {},
                             const std::string& program = spex_cpu) {
  std::vector<std::string> command{"timeout", "240"};
  command.insert(command.end(), launcher.begin(), launcher.end());
  command.push_back(program);
  for (const auto& [name, value] : options) {
    command.push_back(name);
    if (!value.empty()) command.push_back(value);
  }
  return run_captured(command);
}

/// `base` with some options replaced or added.
inline Options with(Options base, const Options& changes) {
  for (const auto& [name, value] : changes) base[name] = value;
  return base;
}

/// An image HDU of a file.
struct HduImage {
  std::vector<long long> axes;  ///< NAXIS1 first
  std::vector<double> value;
};
inline HduImage read_image(const std::string& path, const std::string& hdu) {
  FitsReader file(path);
  file.move_to_hdu(hdu);
  return {file.image_axes(), file.read_doubles()};
}

}  // namespace spex::test
