#include "bench/machine/nvml.hpp"

#include <array>
#include <utility>

#include <dlfcn.h>
#include <link.h>

#include "bench/machine/nvml_types.hpp"

namespace spex::bench {
namespace {

// Buffer size for NVML strings.
constexpr std::size_t text_length = 128;

// NVML's nvmlClocksThrottleReason...
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

// A function of NVML by its declaration and its name in the library. This is a macro because only
// the preprocessor makes a string of a symbol. Suffixes such as `_v2` are part of the name.
#define SPEX_NVML(function) static_cast<decltype(&(function))>(nullptr), #function

// The loaded and initialized library.
struct Nvml::Library {
  void* handle = nullptr;
  std::vector<nvmlDevice_t> devices;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle == nullptr) return;
    static_cast<void>(call(SPEX_NVML(nvmlShutdown)));
    dlclose(handle);
  }

  // Whether the library has the function, of the declared type, and the call succeeds.
  template <class Function, class... Arguments>
  [[nodiscard]] bool call(Function* /*declaration*/, const char* name,
                          Arguments... arguments) const {
    auto* const function = reinterpret_cast<Function*>(dlsym(handle, name));
    return function != nullptr && function(arguments...) == NVML_SUCCESS;
  }
  // A number that a function of a device returns through its last argument.
  template <class T, class Function, class... Arguments>
  [[nodiscard]] std::optional<double> number(Function* declaration, const char* name,
                                             nvmlDevice_t device, double unit,
                                             Arguments... arguments) const {
    T value{};
    if (!call(declaration, name, device, arguments..., &value)) return std::nullopt;
    return static_cast<double>(value) * unit;
  }
  // A mode of which NVML returns the current and the pending value.
  template <class T, class Function>
  [[nodiscard]] std::optional<bool> mode(Function* declaration, const char* name,
                                         nvmlDevice_t device) const {
    T current{}, pending{};
    if (!call(declaration, name, device, &current, &pending)) return std::nullopt;
    return current != T{};
  }
  // A string that a function of a device or of the system writes.
  template <class Function, class... Device>
  [[nodiscard]] std::optional<std::string> text(Function* declaration, const char* name,
                                                Device... device) const {
    std::array<char, text_length> buffer{};
    if (!call(declaration, name, device..., buffer.data(), static_cast<unsigned>(buffer.size())))
      return std::nullopt;
    return std::string(buffer.data());
  }
  [[nodiscard]] std::string uuid(nvmlDevice_t device) const {
    return text(SPEX_NVML(nvmlDeviceGetUUID), device).value_or("");
  }
  [[nodiscard]] std::string model(nvmlDevice_t device) const {
    return text(SPEX_NVML(nvmlDeviceGetName), device).value_or("");
  }
};

std::string Nvml::library_file() const {
  link_map* found = nullptr;
  if (!library_ || dlinfo(library_->handle, RTLD_DI_LINKMAP, &found) != 0) return {};
  return found->l_name;
}

Nvml::Nvml() {
  auto library = std::make_unique<Library>();
  library->handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library->handle == nullptr) {
    reason_ = "there is no NVIDIA driver here (libnvidia-ml.so.1)";
    return;
  }
  if (!library->call(SPEX_NVML(nvmlInit_v2))) {
    reason_ = "NVML does not start (nvmlInit_v2)";
    return;
  }
  unsigned count = 0;
  if (!library->call(SPEX_NVML(nvmlDeviceGetCount_v2), &count)) count = 0;
  for (unsigned i = 0; i < count; ++i) {
    nvmlDevice_t device = nullptr;
    if (library->call(SPEX_NVML(nvmlDeviceGetHandleByIndex_v2), i, &device))
      library->devices.push_back(device);
  }
  if (library->devices.empty()) reason_ = "NVML shows no GPU";
  library_ = std::move(library);
}

Nvml::~Nvml() = default;

std::optional<std::string> Nvml::driver() const {
  return library_ ? library_->text(SPEX_NVML(nvmlSystemGetDriverVersion)) : std::nullopt;
}

std::vector<mpi::GpuIdentity> Nvml::identities() const {
  if (!library_) return {};
  const Library& nvml = *library_;
  std::vector<mpi::GpuIdentity> all;
  for (const nvmlDevice_t device : nvml.devices) {
    mpi::GpuIdentity gpu{nvml.uuid(device), nvml.model(device), {}};
    unsigned instances = 0;
    if (!nvml.call(SPEX_NVML(nvmlDeviceGetMaxMigDeviceCount), device, &instances)) instances = 0;
    for (unsigned k = 0; k < instances; ++k) {
      nvmlDevice_t instance = nullptr;
      if (nvml.call(SPEX_NVML(nvmlDeviceGetMigDeviceHandleByIndex), device, k, &instance))
        gpu.mig_uuids.push_back(nvml.uuid(instance));
    }
    all.push_back(std::move(gpu));
  }
  return all;
}

GpuDescription Nvml::describe(int index) const {
  const Library& nvml = *library_;
  const nvmlDevice_t device = nvml.devices.at(index);
  GpuDescription gpu;
  gpu.index = index;
  gpu.uuid = nvml.uuid(device);
  gpu.name = nvml.model(device);
  nvmlMemory_t memory{};
  if (nvml.call(SPEX_NVML(nvmlDeviceGetMemoryInfo), device, &memory))
    gpu.memory_bytes = static_cast<double>(memory.total);
  gpu.ecc = nvml.mode<nvmlEnableState_t>(SPEX_NVML(nvmlDeviceGetEccMode), device);
  gpu.mig = nvml.mode<unsigned>(SPEX_NVML(nvmlDeviceGetMigMode), device);
  if (nvmlEnableState_t kept{}; nvml.call(SPEX_NVML(nvmlDeviceGetPersistenceMode), device, &kept))
    gpu.persistence = kept != nvmlEnableState_t{};
  gpu.power_limit_w =
      nvml.number<unsigned>(SPEX_NVML(nvmlDeviceGetEnforcedPowerLimit), device, 1e-3);
  gpu.clock_max_sm_mhz =
      nvml.number<unsigned>(SPEX_NVML(nvmlDeviceGetMaxClockInfo), device, 1, NVML_CLOCK_SM);
  gpu.clock_max_memory_mhz =
      nvml.number<unsigned>(SPEX_NVML(nvmlDeviceGetMaxClockInfo), device, 1, NVML_CLOCK_MEM);
  gpu.pcie_generation =
      nvml.number<unsigned>(SPEX_NVML(nvmlDeviceGetMaxPcieLinkGeneration), device, 1);
  gpu.pcie_width = nvml.number<unsigned>(SPEX_NVML(nvmlDeviceGetMaxPcieLinkWidth), device, 1);
  return gpu;
}

GpuState Nvml::state(int index) const {
  const Library& nvml = *library_;
  const nvmlDevice_t device = nvml.devices.at(index);
  GpuState state;
  state.uuid = nvml.uuid(device);
  unsigned long long bits = 0;
  // CUDA 12.2 renamed the function; drivers have both names.
  if (nvml.call(SPEX_NVML(nvmlDeviceGetCurrentClocksThrottleReasons), device, &bits))
    state.throttle_reasons = names_of(bits);
  using Count = unsigned long long;
  state.ecc_corrected = nvml.number<Count>(SPEX_NVML(nvmlDeviceGetTotalEccErrors), device, 1,
                                           NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC);
  state.ecc_uncorrected = nvml.number<Count>(SPEX_NVML(nvmlDeviceGetTotalEccErrors), device, 1,
                                             NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC);
  state.temperature_c =
      nvml.number<unsigned>(SPEX_NVML(nvmlDeviceGetTemperature), device, 1, NVML_TEMPERATURE_GPU);
  state.clock_sm_mhz =
      nvml.number<unsigned>(SPEX_NVML(nvmlDeviceGetClockInfo), device, 1, NVML_CLOCK_SM);
  state.clock_memory_mhz =
      nvml.number<unsigned>(SPEX_NVML(nvmlDeviceGetClockInfo), device, 1, NVML_CLOCK_MEM);
  state.power_w = nvml.number<unsigned>(SPEX_NVML(nvmlDeviceGetPowerUsage), device, 1e-3);
  nvmlMemory_t memory{};
  if (nvml.call(SPEX_NVML(nvmlDeviceGetMemoryInfo), device, &memory))
    state.memory_used_bytes = static_cast<double>(memory.used);
  nvmlUtilization_t use{};
  if (nvml.call(SPEX_NVML(nvmlDeviceGetUtilizationRates), device, &use))
    state.busy = use.gpu / 100.0;
  state.energy_j = nvml.number<Count>(SPEX_NVML(nvmlDeviceGetTotalEnergyConsumption), device, 1e-3);
  return state;
}

}  // namespace spex::bench
