// Replaces the GPU extractor in builds without CUDA.
#include "gpu/programs/gpu_extractor.hpp"
#include "reference/core/error.hpp"

namespace spex::gpu {

std::string why_no_gpu() {
  return "this build has no CUDA";
}

std::string describe_gpu_build() {
  return "no CUDA";
}

int gpu_count() {
  return 0;
}

std::string gpu_bus_id(int /*device*/) {
  return "";
}

double gpu_memory(int /*device*/) {
  return 0;
}

PatchExtractor gpu_extractor(int /*device*/, const GpuShare& /*share*/,
                             const PinHostMemory& /*pin*/) {
  throw usage_error("spex-gpu", why_no_gpu(), "a build with SPEX_GPU=ON");
}

std::unique_ptr<WholeInflater> gpu_inflater(int /*device*/, const PinHostMemory& /*pin*/) {
  throw usage_error("spex-gpu", why_no_gpu(), "a build with SPEX_GPU=ON");
}

}  // namespace spex::gpu
