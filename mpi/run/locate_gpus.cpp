#include "mpi/run/locate_gpus.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/run/affinity.hpp"
#include "mpi/run/visible_gpus.hpp"
#include "reference/core/sys_files.hpp"

namespace spex::mpi {
namespace {

namespace fs = std::filesystem;

// Whether MIG divides the GPU of a device file.
bool is_divided(const fs::path& proc, const std::string& minor) {
  const auto entries = entries_of(proc / "capabilities" / ("gpu" + minor) / "mig");
  return std::any_of(entries.begin(), entries.end(), [](const fs::path& entry) {
    return entry.filename().string().starts_with("gi");
  });
}

}  // namespace

std::vector<LocatedGpu> locate_gpus(const char* visible, const std::string& proc,
                                    const std::string& dev) {
  std::vector<GpuIdentity> gpus;
  std::vector<std::string> bus_ids;
  for (const fs::path folder : entries_of(proc + "/gpus")) {
    const auto field = [&](const char* key) {
      return value_in(folder / "information", key, ':').value_or("");
    };
    const std::string minor = field("Device Minor");
    if (minor.empty() || field("GPU Excluded") == "Yes") continue;
    if (access((fs::path(dev) / ("nvidia" + minor)).c_str(), R_OK | W_OK) != 0) continue;
    gpus.push_back({field("GPU UUID"), field("Model"), {}});
    bus_ids.push_back(folder.filename());
    // The driver writes ? for the UUID of a GPU that it has not initialized.
    const bool named =
        gpus.back().uuid.starts_with("GPU-") && gpus.back().uuid.find('?') == std::string::npos;
    if (!named || gpus.back().model != gpus.front().model || is_divided(proc, minor)) return {};
  }
  std::vector<LocatedGpu> located;
  for (const VisibleGpu& gpu : visible_gpus(gpus, visible, "PCI_BUS_ID"))
    located.push_back({gpu.name, bus_ids[static_cast<std::size_t>(gpu.index)]});
  return located;
}

std::string dealt_gpus(const std::vector<LocatedGpu>& all, int most, const Communicator& node) {
  std::string bus_ids;
  std::vector<Cpus> beside;
  for (const LocatedGpu& gpu : all) {
    bus_ids += gpu.bus_id + ' ';
    beside.push_back(cpus_beside(gpu.bus_id));
  }
  std::string of_first = bus_ids;
  broadcast(node, of_first);
  const std::vector<Cpus> ranks = gather_allowed_cpus(node);
  if (!all_ranks(node, bus_ids == of_first) || all.empty()) return "";
  const std::vector<std::vector<int>> dealt = deal_devices(ranks, beside);
  std::vector<std::string> names;
  for (const int gpu : dealt[static_cast<std::size_t>(node.rank())])
    if (static_cast<int>(names.size()) < most)
      names.push_back(all[static_cast<std::size_t>(gpu)].name);
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace spex::mpi
