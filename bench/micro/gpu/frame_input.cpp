#include "bench/micro/gpu/frame_input.hpp"

#include <algorithm>
#include <stdexcept>

namespace spex::bench {
namespace {

std::vector<gpu::CoreSpectrum> core_spectra(const std::vector<gpu::PatchGeometry>& geometry,
                                            const PatchRange& range) {
  std::vector<gpu::CoreSpectrum> cores;
  for (int k = 0; k < range.count(); ++k)
    for (int s = 0; s < geometry[static_cast<std::size_t>(range.first + k)].ncore; ++s)
      cores.push_back({k, s});
  return cores;
}

void copy(const gpu::DeviceBuffer<double>& from, double* to, cudaStream_t stream) {
  SPEX_GPU_CHECK(cudaMemcpyAsync(to, from.get(), from.bytes(), cudaMemcpyDeviceToDevice, stream));
}

}  // namespace

FrameInput::FrameInput(const Device& device, int nwavestep)
    : input_(make_kernel_input(2, nwavestep)), frame_(device.context(), false) {
  frame_.load({&input_.psf, &input_.pixels, input_.grid, input_.options}, input_.patches);
}

PatchRange FrameInput::bundles(int nbundles) const {
  const std::vector<Patch>& patches = input_.patches;
  const auto end = std::find_if(patches.begin(), patches.end(),
                                [&](const Patch& patch) { return patch.bundle >= nbundles; });
  return {0, static_cast<int>(end - patches.begin())};
}

PatchRange FrameInput::subbundle() const {
  const std::vector<Patch>& patches = input_.patches;
  const auto is_inside = [](const Patch& patch) {
    return patch.bundle == 0 && patch.subbundle == 2;
  };
  const auto first = std::find_if(patches.begin(), patches.end(), is_inside);
  const auto last = std::find_if_not(first, patches.end(), is_inside);
  return {static_cast<int>(first - patches.begin()), static_cast<int>(last - patches.begin())};
}

int FrameInput::most_pixels(const PatchRange& range) const {
  int most = 1;
  for (int k = range.first; k < range.last; ++k)
    most = std::max(most, frame_.geometry()[static_cast<std::size_t>(k)].npixel());
  return most;
}

DirectBatch::DirectBatch(const Device& device, FrameInput& frame, const PatchRange& range)
    : device_(&device), frame_(&frame), range_(range) {
  gpu::FrameOnDevice& loaded = frame.device();
  spots_ = loaded.evaluate_spots(range.first, range.last);
  layout_.nslots = loaded.most_fibers();
  layout_.nwave = loaded.geometry().front().nwave;
  layout_.reach = std::clamp(loaded.reach(), 1, layout_.nwave);
  if (layout_.size() > std::min(gpu::largest_band_block(), gpu::largest_root_band))
    throw std::runtime_error("the band's blocks do not fit the GPU's shared memory");

  const auto count = static_cast<std::size_t>(range.count());
  const auto size = static_cast<std::size_t>(layout_.size());
  const auto m = static_cast<std::size_t>(layout_.nwave);
  cores_ = to_device(core_spectra(loaded.geometry(), range));
  vector_ = count * static_cast<std::size_t>(layout_.rows());
  panels_ = gpu::DeviceBuffer<double>(count * layout_.patch_size());
  M_ = gpu::DeviceBuffer<double>(count * static_cast<std::size_t>(layout_.nblocks()) * size * size);
  C_ = gpu::DeviceBuffer<double>(cores_.count() * m * m);
  bins_ = gpu::DeviceBuffer<double>(4 * vector_);
  hard_ = to_device(std::vector<int>(cores_.count(), 0));
  status_ = to_device(std::vector<int>(count, 0));
}

void DirectBatch::assemble() {
  const cudaStream_t stream = device_->stream();
  const gpu::FrameOnDevice& frame = frame_->device();
  const gpu::PatchGeometry* patches = frame.device_geometry() + range_.first;
  const gpu::BinStrides strides = layout_.strides();
  SPEX_GPU_CHECK(cudaMemsetAsync(y(), 0, vector_ * sizeof(double), stream));
  gpu::project_pixels(patches, range_.count(), layout_.nslots * layout_.nwave, spots_,
                      frame.pixels(), {strides, y(), q(), good()}, stream);
  gpu::find_prior(patches, range_.count(), strides, q(), frame_->input().options.regularize,
                  prior(), stream);
  gpu::assemble_band(patches, range_.count(), layout_, spots_, frame.pixels(), prior(),
                     panels_.get(), stream);
}

void DirectBatch::keep_assembled() {
  kept_panels_ = gpu::DeviceBuffer<double>(panels_.count());
  kept_y_ = gpu::DeviceBuffer<double>(vector_);
  copy(panels_, kept_panels_.get(), device_->stream());
  SPEX_GPU_CHECK(cudaMemcpyAsync(kept_y_.get(), y(), kept_y_.bytes(), cudaMemcpyDeviceToDevice,
                                 device_->stream()));
}

void DirectBatch::restore_assembled() {
  copy(kept_panels_, panels_.get(), device_->stream());
  copy(kept_y_, y(), device_->stream());
}

void DirectBatch::factor() {
  gpu::factor_band(range_.count(), layout_, panels_.get(), M_.get(), y(), status_.get(),
                   device_->stream());
}

void DirectBatch::find_roots() {
  const gpu::FrameOnDevice& frame = frame_->device();
  const gpu::RootBatch batch{frame.device_geometry() + range_.first,
                             cores_.get(),
                             ncores(),
                             layout_,
                             panels_.get(),
                             M_.get(),
                             y(),
                             q(),
                             C_.get(),
                             hard_.get(),
                             status_.get()};
  gpu::find_roots(batch, frame.spectra(), device_->stream());
}

void DirectBatch::find_roots_by_jacobi(gpu::EigenSolver& solver, double* C) {
  const gpu::FrameOnDevice& frame = frame_->device();
  solver.store_roots(EigenBatch::blocks, frame.device_geometry() + range_.first, cores_.get(),
                     ncores(), layout_.nwave, C, y(), q(), layout_.strides(), status_.get(),
                     frame.spectra());
}

void DirectBatch::require_done(const char* what) const {
  device_->context().synchronize();
  require_zeros(status_, what);
}

int DirectBatch::hard_roots() const {
  device_->context().synchronize();
  const std::vector<int> hard = to_host(hard_);
  return static_cast<int>(std::count(hard.begin(), hard.end(), 1));
}

}  // namespace spex::bench
