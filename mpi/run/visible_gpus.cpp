#include "mpi/run/visible_gpus.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "reference/core/error.hpp"

namespace spex::mpi {
namespace {

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');) {
    item.erase(0, item.find_first_not_of(" \t"));
    item.erase(item.find_last_not_of(" \t") + 1);
    items.push_back(item);
  }
  return items;
}

// The GPU of an index, if valid.
std::optional<VisibleGpu> by_index(const std::vector<GpuIdentity>& gpus, const std::string& item) {
  std::size_t index = 0;
  const char* const end = item.data() + item.size();
  const auto [rest, error] = std::from_chars(item.data(), end, index);
  if (error != std::errc() || rest != end || index >= gpus.size()) return std::nullopt;
  return VisibleGpu{static_cast<int>(index), gpus[index].uuid};
}

// The only GPU whose UUID starts with `start`.
std::optional<VisibleGpu> by_uuid(const std::vector<GpuIdentity>& gpus, const std::string& start) {
  std::optional<VisibleGpu> found;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (!gpus[i].uuid.starts_with(start)) continue;
    if (found) return std::nullopt;
    found = VisibleGpu{static_cast<int>(i), gpus[i].uuid};
  }
  return found;
}

std::optional<VisibleGpu> by_mig(const std::vector<GpuIdentity>& gpus, const std::string& name) {
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto& instances = gpus[i].mig_uuids;
    if (std::find(instances.begin(), instances.end(), name) != instances.end())
      return VisibleGpu{static_cast<int>(i), name};
  }
  return std::nullopt;
}

bool all_alike(const std::vector<GpuIdentity>& gpus) {
  return std::all_of(gpus.begin(), gpus.end(),
                     [&](const GpuIdentity& gpu) { return gpu.model == gpus.front().model; });
}

}  // namespace

std::vector<VisibleGpu> visible_gpus(const std::vector<GpuIdentity>& gpus, const char* visible,
                                     const std::string& device_order) {
  std::vector<VisibleGpu> found;
  if (visible == nullptr) {
    for (std::size_t i = 0; i < gpus.size(); ++i)
      found.push_back({static_cast<int>(i), gpus[i].uuid});
    return found;
  }
  const std::vector<std::string> items = split_list(visible);
  if (items.empty()) return {};
  const bool mig = items.front().starts_with("MIG-");
  const bool uuids = items.front().starts_with("GPU-");
  for (const std::string& item : items) {
    const std::optional<VisibleGpu> gpu = mig     ? by_mig(gpus, item)
                                          : uuids ? by_uuid(gpus, item)
                                                  : by_index(gpus, item);
    if (!gpu) break;
    if (!mig && !uuids && device_order != "PCI_BUS_ID" && !all_alike(gpus))
      throw usage_error("CUDA_VISIBLE_DEVICES",
                        "has indices, but the GPUs of this node are of several models",
                        "UUIDs, or CUDA_DEVICE_ORDER=PCI_BUS_ID");
    if (std::any_of(found.begin(), found.end(),
                    [&](const VisibleGpu& earlier) { return earlier.name == gpu->name; }))
      return {};
    found.push_back(*gpu);
    if (mig) break;
  }
  return found;
}

}  // namespace spex::mpi
