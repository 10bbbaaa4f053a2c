#include "gpu/extract/eigh/eigh_workspace.hpp"

#include <utility>

#include "gpu/core/lazy_libraries.hpp"
#include "gpu/extract/eigh/projection.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/extract_inputs.hpp"

namespace spex::gpu {

void EighWorkspace::begin(PatchBatch batch, const EighRoutines& routines,
                          const ExtractInputs& inputs, double condition_bound) {
  batch_ = std::move(batch);
  routines_ = routines;
  decorrelate_ = inputs.options.decorrelate;
  regularize_ = inputs.options.regularize;
  psferr_ = inputs.psferr();
  condition_bound_ = condition_bound;
  chi2_pixels_ = inputs.options.chi2_pixels;
  strides_ = {batch_.n, batch_.patch(0).nwave, 1};
  vector_ = count_of(batch_.count, batch_.n);
  reserve(A_, count_of(batch_.count, batch_.npixel, batch_.n));
  reserve(WA_, count_of(batch_.count, batch_.npixel, batch_.n));
  reserve(N_, count_of(batch_.count, batch_.n, batch_.n));
  reserve(bins_, 5 * vector_);
  reserve(work_, count_of(batch_.count, batch_.npixel));
  if (poison_)
    for (const DeviceBuffer<double>* buffer : {&A_, &WA_, &N_, &bins_, &work_})
      fill_with_nan(*buffer, context_->stream());
}

void EighWorkspace::project() {
  make_dense_projection(batch_.view(), A_.get(), WA_.get(), context_->stream());
}

void EighWorkspace::multiply() {
  const int n = batch_.n;
  const int rows = batch_.npixel;
  const double one = 1, zero = 0;
  const auto A_size = static_cast<long long>(rows) * n;
  SPEX_GPU_CHECK(cublasDgemmStridedBatched(
      context_->blas(), CUBLAS_OP_T, CUBLAS_OP_N, n, n, rows, &one, A_.get(), rows, A_size,
      WA_.get(), rows, A_size, &zero, N_.get(), n, static_cast<long long>(n) * n, batch_.count));
}

void EighWorkspace::assemble() {
  const cudaStream_t stream = context_->stream();
  const BatchView batch = batch_.view();
  project_pixels(batch, {strides_, y(), q(), good()}, stream);
  find_prior(batch, {strides_, q(), regularize_}, prior(), stream);
  project();
  multiply();
  add_prior(batch, strides_, prior(), N_.get(), stream);
}

EigenSolver::Patches EighWorkspace::patches() const {
  const PatchGeometry& shape = batch_.patch(0);
  return {batch_.patches(), batch_.count, shape.nspec, shape.nwave, shape.pad_below,
          N_.get(),         y(),          q(),         f(),         batch_.status(),
          condition_bound_};
}

void EighWorkspace::solve() {
  solver_.solve(routines_, patches());
}

void EighWorkspace::decorrelate() {
  solver_.decorrelate(routines_, decorrelate_, patches(), batch_.cores, batch_.frame->spectra());
}

void EighWorkspace::quality() {
  store_quality(*context_, batch_, solution(), psferr_, chi2_pixels_, work_.get());
  find_pulled(batch_.view(), solution(), context_->stream());
}

void EighWorkspace::download_models(std::vector<std::vector<double>>& models) {
  download_core_models(*context_, batch_, solution(), work_.get(), models);
}

}  // namespace spex::gpu
