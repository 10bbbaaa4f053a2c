// N, its prior, and its band form on the GPU (extraction.md, section 4; BS 4); the counterpart of
// reference/extract/normal_equations.hpp.
#pragma once

#include "gpu/extract/projection.hpp"

namespace spex::gpu {

/// lambda_j^2 + 1e-15 of every bin: m = 1e-4 max q; lambda_j = m - q_j where q_j <= m, else
/// `regularize`. A block a patch.
void find_prior(const PatchGeometry* patches, int count, const BinStrides& strides, const double* q,
                double regularize, double* prior, cudaStream_t stream);

/// Adds the prior to the diagonals of dense N, patch k at N + k n n, spectrum-major.
void add_prior(const PatchGeometry* patches, int count, int n, const BinStrides& strides,
               const double* prior, double* N, cudaStream_t stream);

/// How a patch's bins stand in its band form: row w nslots + s, and block-tridiagonal in blocks of
/// `size` = reach * nslots rows, as spots farther apart than `reach` bins of wavelength do not
/// overlap. Patches with fewer fibers than nslots, and the rows beyond the last bin, are padded
/// with rows of the unit matrix.
struct BandLayout {
  int nslots = 0;
  int reach = 0;
  int nwave = 0;

  [[nodiscard]] SPEX_HD int size() const { return reach * nslots; }
  [[nodiscard]] SPEX_HD int nblocks() const { return (nwave + reach - 1) / reach; }
  [[nodiscard]] SPEX_HD int rows() const { return nblocks() * size(); }
  /// Numbers of a patch's panels: block column b is column-major 2 size x size, the diagonal block
  /// above the one below it.
  [[nodiscard]] SPEX_HD size_t panel_size() const {
    return static_cast<size_t>(2) * size() * size();
  }
  [[nodiscard]] SPEX_HD size_t patch_size() const { return nblocks() * panel_size(); }
  [[nodiscard]] SPEX_HD BinStrides strides() const { return {rows(), 1, nslots}; }
};

/// N with its prior in band form, straight from the pairs of overlapping spots; no A is formed.
/// Both triangles of a diagonal block are not set, only the lower. Every element is one thread's
/// sum over the pixels that two spots share, so that its order is fixed. A block of the GPU needs
/// assemble_bytes of shared memory.
void assemble_band(const PatchGeometry* patches, int count, const BandLayout& layout,
                   const SpotsView& spots, const PixelsView& pixels, const double* prior,
                   double* panels, cudaStream_t stream);

}  // namespace spex::gpu
