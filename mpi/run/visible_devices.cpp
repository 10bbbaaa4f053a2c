#include "mpi/run/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/run/affinity.hpp"

namespace spex::mpi {
namespace {

namespace fs = std::filesystem;

struct Gpu {
  std::string bus_id, model, uuid;
  bool instances = false;  // divided by MIG
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The lines "KEY: VALUE" of a file.
std::map<std::string, std::string> fields_of(const fs::path& file) {
  std::map<std::string, std::string> fields;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (const std::size_t colon = line.find(':'); colon != std::string::npos)
      fields[trimmed(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
  return fields;
}

// The names in a folder in order; none if it cannot be read.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// The GPUs that this process may use, by PCI address.
std::vector<Gpu> gpus_in(const fs::path& proc, const fs::path& dev) {
  std::vector<Gpu> gpus;
  for (const std::string& bus_id : names_in(proc / "gpus")) {
    auto fields = fields_of(proc / "gpus" / bus_id / "information");
    const std::string minor = fields["Device Minor"];
    if (minor.empty() || fields["GPU Excluded"] == "Yes") continue;
    if (access((dev / ("nvidia" + minor)).c_str(), R_OK | W_OK) != 0) continue;
    const auto mig = names_in(proc / "capabilities" / ("gpu" + minor) / "mig");
    const bool instances = std::any_of(
        mig.begin(), mig.end(), [](const std::string& name) { return name.starts_with("gi"); });
    gpus.push_back({bus_id, fields["Model"], fields["GPU UUID"], instances});
  }
  return gpus;
}

// The only GPU that `name` means, an index or the start of a UUID.
const Gpu* find(const std::vector<Gpu>& gpus, const std::string& name) {
  if (name.starts_with("GPU-")) {
    const auto named = [&](const Gpu& gpu) { return gpu.uuid.starts_with(name); };
    const auto gpu = std::find_if(gpus.begin(), gpus.end(), named);
    return std::count_if(gpus.begin(), gpus.end(), named) == 1 ? &*gpu : nullptr;
  }
  std::size_t index = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, index);
  return error == std::errc() && rest == end && index < gpus.size() ? &gpus[index] : nullptr;
}

}  // namespace

std::vector<VisibleDevice> visible_devices(const char* variable, const std::string& proc,
                                           const std::string& dev) {
  const std::vector<Gpu> gpus = gpus_in(proc, dev);
  for (const Gpu& gpu : gpus)
    if (gpu.instances || gpu.model != gpus.front().model) return {};
  std::vector<VisibleDevice> visible;
  if (variable == nullptr) {
    for (std::size_t k = 0; k < gpus.size(); ++k)
      visible.push_back({std::to_string(k), gpus[k].bus_id});
    return visible;
  }
  std::istringstream names(variable);
  for (std::string item; std::getline(names, item, ',');) {
    const std::string name = trimmed(item);
    const Gpu* const gpu = find(gpus, name);
    const auto is_same = [&](const VisibleDevice& other) { return other.bus_id == gpu->bus_id; };
    if (gpu == nullptr || std::any_of(visible.begin(), visible.end(), is_same)) return {};
    visible.push_back({name, gpu->bus_id});
  }
  return visible;
}

std::string names_of_dealt(const std::vector<VisibleDevice>& visible, int most,
                           const Communicator& node) {
  std::string addresses;
  std::vector<Cpus> beside;
  for (const VisibleDevice& device : visible) {
    addresses += device.bus_id + ' ';
    beside.push_back(cpus_beside(device.bus_id));
  }
  std::string of_first = addresses;
  broadcast(node, of_first);
  const std::vector<Cpus> ranks = gather_allowed_cpus(node);
  if (!all_ranks(node, addresses == of_first) || visible.empty()) return "";
  const std::vector<std::vector<int>> dealt = deal_devices(ranks, beside);
  std::vector<std::string> names;
  for (const int device : dealt[static_cast<std::size_t>(node.rank())])
    if (static_cast<int>(names.size()) < most)
      names.push_back(visible[static_cast<std::size_t>(device)].name);
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace spex::mpi
