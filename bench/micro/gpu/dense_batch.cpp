#include "bench/micro/gpu/dense_batch.hpp"

namespace spex::bench {

DenseBatch::DenseBatch(const Device& device, FrameInput& frame, const PatchRange& range)
    : device_(&device),
      frame_(&frame),
      range_(range),
      spots_(frame.device().evaluate_spots(range.first, range.last)),
      n_(frame.device().geometry()[static_cast<std::size_t>(range.first)].n()),
      npixel_(frame.most_pixels(range)) {
  const auto count = static_cast<std::size_t>(range.count());
  const auto n = static_cast<std::size_t>(n_);
  A_ = gpu::DeviceBuffer<double>(count * n * static_cast<std::size_t>(npixel_));
  WA_ = gpu::DeviceBuffer<double>(A_.count());
  N_ = gpu::DeviceBuffer<double>(count * n * n);
}

void DenseBatch::make_projection() {
  const gpu::FrameOnDevice& frame = frame_->device();
  gpu::make_dense_projection(frame.device_geometry() + range_.first, count(), npixel_, n_, spots_,
                             frame.pixels(), A_.get(), WA_.get(), device_->stream());
}

void DenseBatch::multiply() {
  const double one = 1;
  const double zero = 0;
  const long long A_stride = static_cast<long long>(n_) * npixel_;
  SPEX_GPU_CHECK(cublasDgemmStridedBatched(device_->context().blas(), CUBLAS_OP_T, CUBLAS_OP_N, n_,
                                           n_, npixel_, &one, A_.get(), npixel_, A_stride,
                                           WA_.get(), npixel_, A_stride, &zero, N_.get(), n_,
                                           static_cast<long long>(n_) * n_, count()));
}

double DenseBatch::multiply_flops() const {
  return 2.0 * n_ * n_ * npixel_ * count();
}

}  // namespace spex::bench
