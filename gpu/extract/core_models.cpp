#include "gpu/extract/core_models.hpp"

namespace spex::gpu {

void download_core_models(const Context& context, const FrameOnDevice& frame, int first, int count,
                          int npixel, const SpotsView& spots, const SolutionView& solution,
                          double* work, std::vector<std::vector<double>>& models) {
  find_core_model(frame.device_geometry() + first, count, npixel, spots, frame.rows(), solution,
                  work, context.stream());
  for (int k = 0; k < count; ++k) {
    const PatchGeometry& patch = frame.geometry()[static_cast<std::size_t>(first + k)];
    std::vector<double>& model = models[static_cast<std::size_t>(first + k)];
    model.resize(static_cast<std::size_t>(patch.npixel()));
    SPEX_GPU_CHECK(cudaMemcpyAsync(
        model.data(), work + static_cast<std::size_t>(k) * static_cast<std::size_t>(npixel),
        model.size() * sizeof(double), cudaMemcpyDeviceToHost, context.stream()));
  }
  context.synchronize();
}

}  // namespace spex::gpu
