// The noise-free CCD image of spectra.
#pragma once

#include <cstddef>
#include <vector>

#include "reference/model/psf.hpp"
#include "reference/sim/spectra.hpp"

namespace spex {

/// Light of fibers first ... first + nfiber - 1, at wavelengths in any order and steps.
struct Light {
  int first = 0;                  ///< first fiber, counted in the PSF
  int nfiber = 0;                 ///< number of fibers
  int nwave = 0;                  ///< bins of a fiber
  std::vector<double> wave;       ///< Angstrom [nwave], or [nfiber][nwave]: each fiber its own
  std::vector<double> electrons;  ///< of each bin [nfiber][nwave]

  /// The wavelengths of fiber `first` + s.
  [[nodiscard]] const double* wave_of(int s) const {
    return wave.data() + (wave.size() > static_cast<std::size_t>(nwave)
                              ? static_cast<std::ptrdiff_t>(s) * nwave
                              : 0);
  }
};

/// Expected electrons of every pixel, `[y * npix_x + x]`: the sum over all fibers and bins of
/// electrons x spot (extraction.md, section 2). Light outside of the CCD, and of bins beyond the
/// PSF's wavelengths, is lost. Fibers are summed in order for any number of threads. Throws
/// Error(data) if a spot is broken.
[[nodiscard]] std::vector<double> project(const Psf& psf, const Light& light, int threads);

/// The same of a truth: flux x dw electrons a bin.
[[nodiscard]] std::vector<double> expected_image(const Psf& psf, const Truth& truth, int threads);

}  // namespace spex
