#include "gpu/extract/band/band_workspace.hpp"

#include <algorithm>
#include <utility>

#include "gpu/core/copy.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/extract/band/block_tridiagonal_condition.hpp"
#include "gpu/extract/band/normal_equations.hpp"
#include "gpu/extract/normal_equations/pixel_sums.hpp"
#include "gpu/extract/normal_equations/prior.hpp"
#include "gpu/linalg/symmetric_jacobi.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/decorrelate.hpp"
#include "reference/extract/extract_inputs.hpp"

namespace spex::gpu {
namespace {

// Minimal capacity in patches: more than the guard rejects in most frames, so that buffers rarely
// grow.
constexpr int usual_batch = 32;

BandLayout layout_of(const FrameOnDevice& frame) {
  BandLayout layout;
  layout.nslots = frame.max_fibers();
  layout.nwave = frame.geometry().front().nwave;
  layout.reach = std::clamp(frame.reach(), 1, layout.nwave);
  return layout;
}

}  // namespace

BandWorkspace::BandWorkspace(const Context& context, bool poison)
    : context_(&context), poison_(poison) {}

bool BandWorkspace::can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const {
  const BandLayout layout = layout_of(frame);
  if (inputs.options.decorrelate != Decorrelate::signal || layout.size() > largest_root_band ||
      layout.nwave > largest_root)
    return false;
  const std::size_t needed =
      std::max({assemble_bytes(layout.nslots, inputs.psf->nx(), inputs.psf->ny()),
                factor_bytes(layout.size()), root_bytes(layout.nwave, layout.size())});
  return needed <= max_shared_memory();
}

void BandWorkspace::begin(PatchBatch batch, const ExtractInputs& inputs) {
  batch_ = std::move(batch);
  regularize_ = inputs.options.regularize;
  psferr_ = inputs.psferr();
  chi2_pixels_ = inputs.options.chi2_pixels;
  layout_ = layout_of(*batch_.frame);
  vector_ = count_of(batch_.count, layout_.rows());
  const cudaStream_t stream = context_->stream();
  checked_.hold(stream);  // the previous batch's memory is then free
  const int room = std::max(batch_.count, usual_batch);
  const auto of_patches = [&](DeviceBuffer<double>& buffer, std::size_t numbers) {
    reserve(buffer, count_of(batch_.count) * numbers, count_of(room) * numbers);
  };
  const std::size_t ncores = batch_.cores.size();
  const std::size_t cores_room = std::max(ncores, count_of(usual_batch, layout_.nslots));
  const auto m = count_of(layout_.nwave);
  const auto rows = count_of(layout_.rows());
  of_patches(panels_, layout_.patch_size());
  of_patches(M_, count_of(layout_.nblocks(), layout_.size(), layout_.size()));
  of_patches(bins_, 4 * rows);
  of_patches(work_, count_of(batch_.npixel));
  of_patches(condition_, 2 + 2 * rows);
  reserve(C_, ncores * m * m, cores_room * m * m);
  reserve(sums_, ncores * 2 * m, cores_room * 2 * m);
  reserve(hard_, ncores, cores_room);
  reserve(cores_, ncores, cores_room);
  if (poison_)
    for (const DeviceBuffer<double>* buffer :
         {&panels_, &M_, &C_, &bins_, &work_, &condition_, &sums_})
      fill_with_nan(*buffer, stream);
  SPEX_GPU_CHECK(cudaMemcpyAsync(cores_.get(), batch_.cores.data(),
                                 batch_.cores.size() * sizeof(CoreSpectrum), cudaMemcpyHostToDevice,
                                 stream));
}

void BandWorkspace::assemble() {
  const cudaStream_t stream = context_->stream();
  const BatchView batch = batch_.view();
  // Padding rows have y = 0.
  SPEX_GPU_CHECK(cudaMemsetAsync(y(), 0, vector_ * sizeof(double), stream));
  project_pixels(batch, {layout_.strides(), y(), q(), good()}, stream);
  find_prior(batch, {layout_.strides(), q(), regularize_}, prior(), stream);
  assemble_band(batch, layout_, prior(), panels_.get(), stream);
}

void BandWorkspace::factor() {
  const cudaStream_t stream = context_->stream();
  const BandSystems systems{batch_.count, layout_, panels_.get(), M_.get(), y(), batch_.status()};
  double* const norm = condition_.get();
  const BandConditions conditions{norm, norm + batch_.count, norm + 2 * count_of(batch_.count),
                                  cholesky_condition_bound};
  find_band_norms(batch_.patches(), systems, conditions, stream);
  factor_band(systems, stream);
  if (!beside_) beside_.emplace(Priority::high);
  factored_.record(stream);
  factored_.hold(beside_->stream());
  check_condition(batch_.patches(), systems, conditions, beside_->stream());
  checked_.record(beside_->stream());
}

void BandWorkspace::take_frame_flux(const std::vector<PatchFlux>& flux) {
  const cudaStream_t stream = context_->stream();
  const BinStrides strides = layout_.strides();
  std::vector<double> f = to_host<double>(y(), vector_, stream);
  for (std::size_t k = 0; k < flux.size(); ++k) {
    const Patch& patch = *flux[k].patch;
    double* const mine = f.data() + strides.patch(static_cast<int>(k));
    std::vector<double> of_patch;
    for (int s = 0; s < patch.padded_nspec(); ++s)
      for (int w = 0; w < patch.padded_nwave(); ++w) of_patch.push_back(mine[strides.bin(s, w)]);
    flux[k].flux->put_into(patch, of_patch);
    auto from = of_patch.begin();
    for (int s = 0; s < patch.padded_nspec(); ++s)
      for (int w = 0; w < patch.padded_nwave(); ++w) mine[strides.bin(s, w)] = *from++;
  }
  SPEX_GPU_CHECK(
      cudaMemcpyAsync(y(), f.data(), vector_ * sizeof(double), cudaMemcpyHostToDevice, stream));
  context_->synchronize();
}

RootBatch BandWorkspace::root_batch() const {
  RootBatch batch;
  batch.patches = batch_.patches();
  batch.cores = cores_.get();
  batch.ncores = batch_.ncores();
  batch.layout = layout_;
  batch.panels = panels_.get();
  batch.M = M_.get();
  batch.f = y();
  batch.q = q();
  batch.C = C_.get();
  batch.hard = hard_.get();
  batch.status = batch_.status();
  return batch;
}

void BandWorkspace::roots() {
  find_roots(root_batch(), batch_.frame->spectra(), context_->stream());
}

void BandWorkspace::hard_roots() {
  const cudaStream_t stream = context_->stream();
  const CoreBatch hard{batch_.patches(),  cores_.get(), batch_.ncores(), layout_.nwave,
                       layout_.strides(), q(),          batch_.status(), batch_.frame->spectra(),
                       hard_.get()};
  find_jacobi_roots({hard.cores, hard.ncores, hard.wanted, hard.m, C_.get(), hard.status}, stream);
  store_signal(hard, C_.get(), y(), sums_.get(), stream);
}

void BandWorkspace::check() {
  checked_.hold(context_->stream());
}

void BandWorkspace::quality() {
  store_quality(*context_, batch_, solution(), psferr_, chi2_pixels_, work_.get());
  find_pulled(batch_.view(), solution(), context_->stream());
}

void BandWorkspace::download_models(std::vector<std::vector<double>>& models) {
  download_core_models(*context_, batch_, solution(), work_.get(), models);
}

}  // namespace spex::gpu
