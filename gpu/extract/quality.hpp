// Quality per bin on the GPU (extraction.md, section 6); the counterpart of
// reference/extract/quality.hpp.
#pragma once

#include "gpu/extract/projection.hpp"

namespace spex::gpu {

/// For each fiber and CCD row the bins [first, last) among which all are whose spots reach the row:
/// `[fiber * ny_ccd + y]`; first = INT_MAX where none does.
struct RowBins {
  int ny_ccd = 0;
  int* first = nullptr;
  int* last = nullptr;
};
void find_row_bins(const SpotCorners& corners, int spot_ny, const RowBins& rows,
                   cudaStream_t stream);

/// Solution and constraints of many patches, as BinVectors lays them out.
struct SolutionView {
  BinStrides strides;
  const double* f = nullptr;
  const double* q = nullptr;
  const double* good = nullptr;
};

/// chi2pix and pixmask_fraction of the core bins of `count` patches of at most `npixel` used pixels
/// and `ncore_bins` core bins. `work` has room for 2 npixel numbers a patch. `status[patch]`
/// becomes 1 where chi2pix is not finite.
void find_quality(const PatchGeometry* patches, int count, int npixel, int ncore_bins,
                  const SpotsView& spots, const RowBins& rows, const PixelsView& pixels,
                  const SolutionView& solution, double psferr, double* work, int* status,
                  const SpectraView& spectra, cudaStream_t stream);

/// A_core f_core of the constrained core bins over each patch's used pixels, `[patch][npixel]`,
/// rows first.
void find_core_model(const PatchGeometry* patches, int count, int npixel, const SpotsView& spots,
                     const RowBins& rows, const SolutionView& solution, double* model,
                     cudaStream_t stream);

}  // namespace spex::gpu
