// Memory layout of batches of patches in device memory.
#pragma once

#include <cstddef>

#include "reference/core/host_device.hpp"

namespace spex::gpu {

/// Identifies a core spectrum in a batch.
struct CoreSpectrum {
  int patch = 0;
  int s = 0;  ///< core fiber of the patch, from 0
};

/// Strides of bins in a vector over many patches: bin (s, w) of patch k is at `patch(k) + bin(s,
/// w)`.
struct BinStrides {
  int of_patch = 0;
  int of_spec = 0;
  int of_wave = 0;

  [[nodiscard]] SPEX_HD size_t patch(int k) const { return static_cast<size_t>(k) * of_patch; }
  [[nodiscard]] SPEX_HD size_t bin(int s, int w) const {
    return static_cast<size_t>(s) * of_spec + static_cast<size_t>(w) * of_wave;
  }
};

/// Layout of a patch's bins in band form: row w nslots + s, block-tridiagonal in blocks of `size` =
/// reach * nslots rows, because spots farther apart than `reach` wavelength bins do not overlap.
/// Patches with fewer fibers than nslots, and rows after the last bin, are padded with rows of the
/// unit matrix.
struct BandLayout {
  int nslots = 0;
  int reach = 0;
  int nwave = 0;

  [[nodiscard]] SPEX_HD int size() const { return reach * nslots; }
  [[nodiscard]] SPEX_HD int nblocks() const { return (nwave + reach - 1) / reach; }
  [[nodiscard]] SPEX_HD int rows() const { return nblocks() * size(); }
  /// Size of a patch's panels, in doubles. Block column b is column-major 2 size x size: the
  /// diagonal block above the block below the diagonal.
  [[nodiscard]] SPEX_HD size_t panel_size() const {
    return static_cast<size_t>(2) * size() * size();
  }
  [[nodiscard]] SPEX_HD size_t patch_size() const { return nblocks() * panel_size(); }
  [[nodiscard]] SPEX_HD BinStrides strides() const { return {rows(), 1, nslots}; }
};

}  // namespace spex::gpu
