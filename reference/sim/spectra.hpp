// The true spectra of a simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/layout/wavelengths.hpp"
#include "reference/model/camera.hpp"
#include "reference/model/psf.hpp"
#include "reference/sim/flavor.hpp"
#include "reference/sim/targets.hpp"

namespace spex {

/// Spectra on an equidistant grid, spectra-major: `flux[s * nwave + w]`, electron / Angstrom. Bin w
/// emits flux x dw electrons at its wavelength.
struct Truth {
  bool on_grid = false;  ///< whether the wavelengths are the extraction's grid and its continuation
  double dw = 0;         ///< Angstrom
  int nfiber = 0;        ///< number of fibers
  std::vector<double> wave;  ///< Angstrom [nwave]
  std::vector<float> flux;   ///< electron / Angstrom

  /// Number of wavelengths.
  [[nodiscard]] int nwave() const { return static_cast<int>(wave.size()); }
  /// The flux of fiber s.
  [[nodiscard]] const float* spectrum(int s) const {
    return flux.data() + static_cast<std::ptrdiff_t>(s) * nwave();
  }
};

/// Truth bins per extraction bin, if the truth is not on the extraction's grid.
inline constexpr int truth_steps_a_bin = 2;

/// The wavelengths of the truth: grid.wmin + w dw for all integers w within the PSF's range. dw is
/// the grid's if `on_grid`, else finer. Throws Error(data) `name: ...` if there are no such
/// wavelengths.
[[nodiscard]] Truth make_truth_grid(const Psf& psf, const WaveRange& grid, bool on_grid,
                                    const std::string& name);

/// An exposure of a camera.
struct Observation {
  Camera camera;                    ///< its camera
  std::uint64_t seed = 0;           ///< seed of the simulation
  double exptime = 0;               ///< s
  Flavor flavor = Flavor::science;  ///< what is observed
};

/// Computes the flux of every fiber: sky lines, sky continuum and the fiber's target, or the lamps
/// of a calibration exposure. Applies the camera's throughput and the fiber's relative throughput,
/// which is the same for all flavors of a seed. Uses `threads` threads. Lines are integrated over
/// bins, so that their electrons do not depend on dw.
void fill_spectra(Truth& truth, const Observation& of, const std::vector<Target>& targets,
                  int threads);

}  // namespace spex
