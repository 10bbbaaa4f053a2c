// Quality per bin on the GPU (extraction.md, section 6); the counterpart of
// reference/extract/quality.hpp.
#pragma once

#include "gpu/extract/batch/bins.hpp"
#include "gpu/extract/batch/spectra.hpp"
#include "reference/model/choices.hpp"

namespace spex::gpu {

/// The bins and columns of one fiber's spots that reach one CCD row: all bins are in [first, last),
/// and the columns on the CCD in [x0, x1). If no spot reaches the row, first and x0 are INT_MAX.
struct alignas(16) RowBins {
  int first = 0;
  int last = 0;
  int x0 = 0;
  int x1 = 0;
};

/// RowBins of all fibers and rows, `[fiber * ny_ccd + y]`.
struct RowBinsView {
  int ny_ccd = 0;
  RowBins* rows = nullptr;
};
/// Computes RowBins from the corners of the bins [w_begin, w_end), of spots of `spot_nx` x
/// `spot_ny` pixels.
void find_row_bins(const SpotCorners& corners, int w_begin, int w_end, int spot_nx, int spot_ny,
                   const RowBinsView& rows, cudaStream_t stream);

/// Solution and constraints of many patches, as BinVectors lays them out.
struct SolutionView {
  BinStrides strides;
  const double* f = nullptr;
  const double* q = nullptr;
  const double* good = nullptr;
};

/// Computes chi2pix and pixmask_fraction of the core bins of `count` patches of at most `npixel`
/// used pixels and `ncore_bins` core bins; `counted` selects the pixels of chi2pix. `work` must
/// hold npixel numbers per patch. `status[patch]` becomes 1 if chi2pix is not finite; nothing is
/// stored of guarded patches.
void find_quality(const PatchGeometry* patches, int count, int npixel, int ncore_bins,
                  const SpotsView& spots, const RowBinsView& rows, const PixelsView& pixels,
                  const SolutionView& solution, double psferr, Chi2Pixels counted, double* work,
                  int* status, const SpectraView& spectra, cudaStream_t stream);

/// Computes A_core f_core of the constrained core bins over each patch's used pixels,
/// `[patch][npixel]`, row-major.
void find_core_model(const PatchGeometry* patches, int count, int npixel, const SpotsView& spots,
                     const RowBinsView& rows, const SolutionView& solution, double* model,
                     cudaStream_t stream);

}  // namespace spex::gpu
