// Quality per bin on the GPU (extraction.md, section 6); the counterpart of
// reference/extract/quality.hpp.
#pragma once

#include "gpu/extract/batch/spectra.hpp"
#include "reference/model/choices.hpp"

namespace spex::gpu {

/// Computes RowBins from the corners of the bins [w_begin, w_end) of `spots`.
void find_row_bins(const SpotsView& spots, int w_begin, int w_end, const RowBinsView& rows,
                   cudaStream_t stream);

/// Computes chi2pix and pixmask_fraction of the core bins of a batch; `counted` selects the pixels
/// of chi2pix. `work` must hold batch.npixel numbers per patch. The status of a patch becomes 1 if
/// chi2pix is not finite; nothing is stored of guarded patches.
void find_quality(const BatchView& batch, const SolutionView& solution, double psferr,
                  Chi2Pixels counted, double* work, cudaStream_t stream);

/// Computes A_core f_core of the constrained core bins over each patch's used pixels,
/// `[patch][batch.npixel]`, row-major.
void find_core_model(const BatchView& batch, const SolutionView& solution, double* model,
                     cudaStream_t stream);

}  // namespace spex::gpu
