#include "gpu/programs/gpu_extractor.hpp"

#include <array>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "gpu/core/context.hpp"
#include "gpu/core/eigensolver.hpp"
#include "gpu/core/host_pinner.hpp"
#include "gpu/extract/extract_patches.hpp"
#include "gpu/files/inflate/gzip_inflater.hpp"

namespace spex::gpu {

std::string why_no_gpu() {
  if (device_count() > 0) return "";
  int driver = 0;  // the latest CUDA that the driver knows, as CUDART_VERSION; 0: there is none
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    return "there is no GPU here: NVIDIA's driver is not installed";
  if (driver / 1000 < CUDART_VERSION / 1000)
    return fmt::format(
        "no GPU can be used: NVIDIA's driver is for CUDA {}.{}, and this build needs CUDA {}.0 or "
        "later",
        driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000);
  return "there is no GPU here that this process may use";
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

PatchExtractor gpu_extractor(int device, const GpuShare& share, const PinHostMemory& pin) {
  ExtractorSettings settings;
  settings.device = device;
  settings.frames_at_once = share.extractors;
  settings.turns = share.turns;
  const char* poison = std::getenv("SPEX_GPU_POISON");
  settings.poison = poison != nullptr && std::string(poison) == "1";
  if (pin)
    settings.pin = [pin, pinner = std::make_shared<HostPinner>(device)](const void* memory) {
      return pin(memory, pinner, PinBlocks::reused);
    };
  auto extractor = std::make_shared<Extractor>(settings);
  return [extractor](const ExtractInputs& inputs, const std::vector<Patch>& patches,
                     StageTimes& times, const std::function<void(long)>& done) {
    auto results = extractor->extract_patches(inputs, patches, times, done);
    spdlog::debug("device memory in use: {:.2f} GB",
                  static_cast<double>(device_memory_used()) * 1e-9);
    return results;
  };
}

std::unique_ptr<WholeInflater> gpu_inflater(int device, const PinHostMemory& pin) {
  return std::make_unique<GzipInflater>(
      device, [pin, pinner = std::make_shared<HostPinner>(device)](const void* memory) {
        return pin(memory, pinner, PinBlocks::any);
      });
}

}  // namespace spex::gpu
