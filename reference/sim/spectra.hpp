// The spectra that enter a camera: the truth of a simulation.
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

/// Spectra on a grid of equal steps, spectra-major: `flux[s * nwave + w]`, electron / Angstrom. The
/// light of bin w is flux x dw electrons at its wavelength.
struct Truth {
  bool on_grid = false;  ///< the wavelengths are those of the extraction, and their continuation
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

/// Steps of the truth where it is not on the extraction's grid: half of the grid's.
inline constexpr int truth_steps_a_bin = 2;

/// The wavelengths of the truth, grid.wmin + w dw for all whole w inside the range where the PSF is
/// defined; dw is the grid's where `on_grid`, else finer. Throws Error(data) `name: ...` where
/// there is none.
[[nodiscard]] Truth make_truth_grid(const Psf& psf, const WaveRange& grid, bool on_grid,
                                    const std::string& name);

/// Fills in the flux of every fiber: sky lines and continuum and the fiber's target, or the lamps
/// of a calibration exposure, through the camera's throughput and the fiber's own, which is the
/// same for all flavors of a seed; on `threads` threads. Lines are integrated over the bins, so
/// that their electrons do not depend on dw.
void fill_spectra(Truth& truth, const Camera& camera, const std::vector<Target>& targets,
                  std::uint64_t seed, double exptime, int threads, Flavor flavor = Flavor::science);

}  // namespace spex
