#include "gpu/programs/gpu_extractor.hpp"

#include <array>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "gpu/core/context.hpp"
#include "gpu/core/eigensolver.hpp"
#include "gpu/extract/extract_patches.hpp"

namespace spex::gpu {

std::string why_no_gpu() {
  return device_count() > 0 ? "" : "there is no GPU here, or no driver for it";
}

std::string describe_gpu_build() {
  return fmt::format("CUDA {}.{}; batches of eigendecompositions by {}", CUDART_VERSION / 1000,
                     CUDART_VERSION % 1000 / 10, describe_syev_batched());
}

int gpu_count() {
  return device_count();
}

double gpu_memory(int device) {
  cudaDeviceProp properties{};
  SPEX_GPU_CHECK(cudaGetDeviceProperties(&properties, device));
  return static_cast<double>(properties.totalGlobalMem);
}

std::string gpu_bus_id(int device) {
  std::array<char, 32> id{};
  SPEX_GPU_CHECK(cudaDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), device));
  return id.data();
}

PatchExtractor gpu_extractor(int device, int frames_at_once) {
  ExtractorSettings settings;
  settings.device = device;
  settings.frames_at_once = frames_at_once;
  const char* poison = std::getenv("SPEX_GPU_POISON");
  settings.poison = poison != nullptr && std::string(poison) == "1";
  auto extractor = std::make_shared<Extractor>(settings);
  return [extractor](const ExtractInputs& inputs, const std::vector<Patch>& patches,
                     StageTimes& times, const std::function<void(long)>& done) {
    auto results = extractor->extract_patches(inputs, patches, times, done);
    spdlog::debug("device memory in use: {:.2f} GB",
                  static_cast<double>(device_memory_used()) * 1e-9);
    return results;
  };
}

}  // namespace spex::gpu
