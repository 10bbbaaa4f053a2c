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

/// Wavelength grid, wave_w = wmin + w dw up to wmax + dw/2 (exclusive); Angstrom.
struct WaveRange {
  double wmin = 0;
  double wmax = 0;
  double dw = 0;
};

struct ExtractOptions {
  std::optional<WaveRange> wavelength;  ///< the camera's own grid where absent
  int specmin = 0;
  std::optional<int> nspec;  ///< all fibers from specmin where absent
  double regularize = 0;
  int bundlesize = 25;
  int nsubbundles = 5;
  int nwavestep = 50;
  int wavepad = 10;
  double pixpad_frac = 0.8;
  double wavepad_frac = 0.2;
  std::optional<double> psferr;  ///< the PSF file's where absent
  std::uint32_t mask_bits = ccdmask::rejected;
  bool model = false;  ///< compute the model image too
  Method method = Method::eigh;
  Decorrelate decorrelate = Decorrelate::signal;
  Milestone milestone = Milestone::cpu_refactor;
};

[[nodiscard]] std::string to_string(Decorrelate decorrelate);

}  // namespace spex
