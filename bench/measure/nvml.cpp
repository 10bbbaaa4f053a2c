#include "bench/measure/nvml.hpp"

#include <array>
#include <utility>

#include <dlfcn.h>

namespace spex::bench {
namespace {

// The part of NVML's interface that is used here, as its reference manual gives it: functions
// return 0 for success, and devices are opaque.
using Device = void*;
constexpr int clock_sm = 1, clock_memory = 2;
constexpr int ecc_is_corrected = 0, ecc_is_uncorrected = 1, ecc_volatile = 0;
constexpr int temperature_gpu = 0;
struct Memory {
  unsigned long long total = 0, free = 0, used = 0;
};

constexpr std::array<std::pair<unsigned long long, const char*>, 9> reasons{{
    {0x001, "gpu-idle"},
    {0x002, "applications-clocks"},
    {0x004, "sw-power-cap"},
    {0x008, "hw-slowdown"},
    {0x010, "sync-boost"},
    {0x020, "sw-thermal-slowdown"},
    {0x040, "hw-thermal-slowdown"},
    {0x080, "hw-power-brake"},
    {0x100, "display-clocks"},
}};

std::vector<std::string> names_of(unsigned long long bits) {
  std::vector<std::string> names;
  for (const auto& [bit, name] : reasons)
    if ((bits & bit) != 0) names.emplace_back(name);
  return names;
}

}  // namespace

// The library, loaded and begun.
struct Nvml::Library {
  void* handle = nullptr;
  std::vector<Device> devices;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle == nullptr) return;
    static_cast<void>(call("nvmlShutdown"));
    dlclose(handle);
  }

  // Whether the function exists and succeeds.
  template <class... Arguments>
  [[nodiscard]] bool call(const char* name, Arguments... arguments) const {
    void* const symbol = dlsym(handle, name);
    if (symbol == nullptr) return false;
    return reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...) == 0;
  }
  // One number that a function of a device returns through its last argument.
  template <class T, class... Arguments>
  [[nodiscard]] std::optional<double> number(const char* name, Device device, double unit,
                                             Arguments... arguments) const {
    T value{};
    if (!call(name, device, arguments..., &value)) return std::nullopt;
    return static_cast<double>(value) * unit;
  }
  [[nodiscard]] std::string text(const char* name, Device device) const {
    std::array<char, 128> buffer{};
    return call(name, device, buffer.data(), static_cast<unsigned>(buffer.size())) ? buffer.data()
                                                                                   : "";
  }
  // A mode that NVML gives as it is and as it will be.
  template <class T>
  [[nodiscard]] std::optional<bool> mode(const char* name, Device device) const {
    T current{}, pending{};
    if (!call(name, device, &current, &pending)) return std::nullopt;
    return current != 0;
  }
};

bool is_unhealthy(const std::string& throttle_reason) {
  return throttle_reason == "hw-slowdown" || throttle_reason == "hw-thermal-slowdown" ||
         throttle_reason == "sw-thermal-slowdown" || throttle_reason == "hw-power-brake";
}

Nvml::Nvml() {
  auto library = std::make_unique<Library>();
  library->handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library->handle == nullptr) {
    reason_ = "there is no NVIDIA driver here (libnvidia-ml.so.1)";
    return;
  }
  if (!library->call("nvmlInit_v2")) {
    reason_ = "NVML does not start (nvmlInit_v2)";
    return;
  }
  unsigned count = 0;
  if (!library->call("nvmlDeviceGetCount_v2", &count)) count = 0;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (library->call("nvmlDeviceGetHandleByIndex_v2", i, &device))
      library->devices.push_back(device);
  }
  if (library->devices.empty()) reason_ = "NVML shows no GPU";
  library_ = std::move(library);
}

Nvml::Nvml(Nvml&&) noexcept = default;
Nvml& Nvml::operator=(Nvml&&) noexcept = default;
Nvml::~Nvml() = default;

std::optional<std::string> Nvml::driver() const {
  std::array<char, 96> buffer{};
  if (!library_ || !library_->call("nvmlSystemGetDriverVersion", buffer.data(),
                                   static_cast<unsigned>(buffer.size())))
    return std::nullopt;
  return std::string(buffer.data());
}

int Nvml::count() const {
  return library_ ? static_cast<int>(library_->devices.size()) : 0;
}

GpuDescription Nvml::describe(int index) const {
  const Library& nvml = *library_;
  const Device device = nvml.devices.at(static_cast<std::size_t>(index));
  GpuDescription gpu;
  gpu.index = index;
  gpu.uuid = nvml.text("nvmlDeviceGetUUID", device);
  gpu.name = nvml.text("nvmlDeviceGetName", device);
  Memory memory;
  if (nvml.call("nvmlDeviceGetMemoryInfo", device, &memory))
    gpu.memory_bytes = static_cast<double>(memory.total);
  gpu.ecc = nvml.mode<int>("nvmlDeviceGetEccMode", device);
  gpu.mig = nvml.mode<unsigned>("nvmlDeviceGetMigMode", device);
  gpu.power_limit_w = nvml.number<unsigned>("nvmlDeviceGetEnforcedPowerLimit", device, 1e-3);
  gpu.clock_max_sm_mhz = nvml.number<unsigned>("nvmlDeviceGetMaxClockInfo", device, 1, clock_sm);
  gpu.clock_max_memory_mhz =
      nvml.number<unsigned>("nvmlDeviceGetMaxClockInfo", device, 1, clock_memory);
  gpu.pcie_generation = nvml.number<unsigned>("nvmlDeviceGetMaxPcieLinkGeneration", device, 1);
  gpu.pcie_width = nvml.number<unsigned>("nvmlDeviceGetMaxPcieLinkWidth", device, 1);
  return gpu;
}

GpuState Nvml::state(int index) const {
  const Library& nvml = *library_;
  const Device device = nvml.devices.at(static_cast<std::size_t>(index));
  GpuState state;
  state.uuid = nvml.text("nvmlDeviceGetUUID", device);
  unsigned long long bits = 0;
  // CUDA 12.2 renamed the function.
  if (nvml.call("nvmlDeviceGetCurrentClocksEventReasons", device, &bits) ||
      nvml.call("nvmlDeviceGetCurrentClocksThrottleReasons", device, &bits))
    state.throttle_reasons = names_of(bits);
  using Count = unsigned long long;
  state.ecc_corrected =
      nvml.number<Count>("nvmlDeviceGetTotalEccErrors", device, 1, ecc_is_corrected, ecc_volatile);
  state.ecc_uncorrected = nvml.number<Count>("nvmlDeviceGetTotalEccErrors", device, 1,
                                             ecc_is_uncorrected, ecc_volatile);
  state.temperature_c =
      nvml.number<unsigned>("nvmlDeviceGetTemperature", device, 1, temperature_gpu);
  state.clock_sm_mhz = nvml.number<unsigned>("nvmlDeviceGetClockInfo", device, 1, clock_sm);
  state.clock_memory_mhz = nvml.number<unsigned>("nvmlDeviceGetClockInfo", device, 1, clock_memory);
  state.power_w = nvml.number<unsigned>("nvmlDeviceGetPowerUsage", device, 1e-3);
  Memory memory;
  if (nvml.call("nvmlDeviceGetMemoryInfo", device, &memory))
    state.memory_used_bytes = static_cast<double>(memory.used);
  state.energy_j = nvml.number<Count>("nvmlDeviceGetTotalEnergyConsumption", device, 1e-3);
  return state;
}

}  // namespace spex::bench
