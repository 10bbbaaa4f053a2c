// Replaces NVIDIA's library: four equal GPUs. FAKE_NVML_MEMORY=grows makes their memory in use grow
// with each query, as during a run; otherwise it may name a file with the MB in use of each GPU.
// FAKE_NVML_POWER names a file with the power limit of the second GPU in W. FAKE_NVML_HOT=1 makes
// them throttle because of their temperature.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "bench/machine/nvml_types.hpp"

namespace {

constexpr unsigned gpus = 4;

std::uintptr_t number_of(nvmlDevice_t device) {
  return reinterpret_cast<std::uintptr_t>(device) - 1;
}

bool is_set(const char* name, const char* value) {
  const char* const found = std::getenv(name);
  return found != nullptr && std::string(found) == value;
}

nvmlReturn_t put(const std::string& text, char* to, unsigned length) {
  std::strncpy(to, text.c_str(), length - 1);
  to[length - 1] = '\0';
  return NVML_SUCCESS;
}

unsigned long long megabytes_in_use(nvmlDevice_t device) {
  // Less than a CUDA context takes.
  constexpr unsigned long long max_growth = 200;
  static std::atomic<unsigned long long> queries{0};
  unsigned long long megabytes = 1;
  const char* const source = std::getenv("FAKE_NVML_MEMORY");
  if (source == nullptr) return megabytes;
  if (std::string(source) == "grows") return std::min(++queries, max_growth);
  std::ifstream in(source);
  for (std::uintptr_t gpu = 0; gpu <= number_of(device); ++gpu) in >> megabytes;
  return megabytes;
}

}  // namespace

nvmlReturn_t nvmlInit_v2() {
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown() {
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length) {
  return put("1.2.3", version, length);
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  *count = gpus;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  *device = reinterpret_cast<nvmlDevice_t>(static_cast<std::uintptr_t>(index) + 1);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length) {
  return put("GPU-fake-" + std::to_string(number_of(device)), uuid, length);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t /*device*/, char* name, unsigned length) {
  return put("Fake", name, length);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  *memory = {};
  memory->total = 1'000'000'000;
  memory->used = 1'000'000 * megabytes_in_use(device);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t /*device*/,
                                                       unsigned long long* reasons) {
  *reasons = is_set("FAKE_NVML_HOT", "1") ? 0x40 /* HwThermalSlowdown */ : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned* milliwatts) {
  *milliwatts = 700'000;
  // Only of the second GPU.
  const char* const source = std::getenv("FAKE_NVML_POWER");
  unsigned watts = 0;
  if (source != nullptr && number_of(device) == 1 && std::ifstream(source) >> watts)
    *milliwatts = 1000 * watts;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t /*device*/,
                                           nvmlUtilization_t* utilization) {
  *utilization = {};
  utilization->gpu = 75;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t /*device*/,
                                                 unsigned long long* millijoules) {
  static std::atomic<unsigned long long> queries{0};
  *millijoules = 1000 * ++queries;
  return NVML_SUCCESS;
}
