#include "bench/machine/visible_gpus.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) {
    word.erase(0, word.find_first_not_of(" \t"));
    word.erase(word.find_last_not_of(" \t") + 1);
    words.push_back(word);
  }
  return words;
}

// The GPU of that index; nothing where there is none.
std::optional<VisibleGpu> by_index(const std::vector<GpuIdentity>& gpus, const std::string& word) {
  std::size_t index = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, index);
  if (error != std::errc() || rest != end || index >= gpus.size()) return std::nullopt;
  return VisibleGpu{static_cast<int>(index), gpus[index].uuid};
}

// The only GPU whose UUID begins so.
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

std::vector<VisibleGpu> visible_gpus(const std::vector<GpuIdentity>& gpus,
                                     const std::optional<std::string>& visible,
                                     const std::string& device_order) {
  std::vector<VisibleGpu> found;
  if (!visible) {
    for (std::size_t i = 0; i < gpus.size(); ++i)
      found.push_back({static_cast<int>(i), gpus[i].uuid});
    return found;
  }
  const std::vector<std::string> words = words_of(*visible);
  if (words.empty()) return {};
  const bool mig = words.front().starts_with("MIG-");
  const bool uuids = words.front().starts_with("GPU-");
  for (const std::string& word : words) {
    const std::optional<VisibleGpu> gpu = mig     ? by_mig(gpus, word)
                                          : uuids ? by_uuid(gpus, word)
                                                  : by_index(gpus, word);
    if (!gpu) break;
    if (!mig && !uuids && device_order != "PCI_BUS_ID" && !all_alike(gpus))
      throw usage_error("CUDA_VISIBLE_DEVICES",
                        "has indices, and the GPUs of this node are of several kinds",
                        "UUIDs, or CUDA_DEVICE_ORDER=PCI_BUS_ID");
    if (std::any_of(found.begin(), found.end(),
                    [&](const VisibleGpu& one) { return one.cuda_name == gpu->cuda_name; }))
      return {};
    found.push_back(*gpu);
    if (mig) break;
  }
  return found;
}

}  // namespace spex::bench
