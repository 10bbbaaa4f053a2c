#include "gpu/programs/choose_gpus.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "gpu/programs/gpu_extractor.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/run/affinity.hpp"
#include "mpi/run/device_sharing.hpp"
#include "mpi/run/device_start.hpp"
#include "mpi/run/locate_gpus.hpp"
#include "reference/core/error.hpp"

namespace spex::gpu {
namespace {

// CPU lists such as "0-15; 16-31", with "unknown" for unknown lists.
std::string texts_of(const std::vector<mpi::Cpus>& all) {
  std::string text;
  for (const mpi::Cpus& cpus : all)
    text += (text.empty() ? "" : "; ") + (cpus.empty() ? "unknown" : mpi::to_text(cpus));
  return text;
}

// Initializes the driver.
void require_gpus(const mpi::Communicator& world) {
  const std::string missing = why_no_gpu();
  if (mpi::all_ranks(world, !missing.empty()))
    throw mpi::CollectiveError(ErrorKind::no_gpu, "", missing + " (spex-cpu extracts on the CPU)");
  mpi::collective(world, [&] {
    if (!missing.empty()) throw Error(ErrorKind::internal, "", missing, "one for every rank");
  });
}

// The largest number of GPUs of a rank.
int max_gpus(const GpuChoice& choice, const mpi::Communicator& world) {
  if (!choice.several) return 1;
  if (world.size() > 1) return std::numeric_limits<int>::max();
  return choice.gpus.value_or(mpi::devices_worth_starting(choice.frames));
}

}  // namespace

void limit_visible_gpus(const GpuChoice& choice, const mpi::Communicator& world,
                        const mpi::Communicator& node) {
  mpi::collective(world, [&] {
    if (!choice.gpus) return;
    if (world.size() > 1)
      throw usage_error("--gpus", fmt::format("is for one process, not {} ranks", world.size()),
                        "a single process");
    if (!choice.several && *choice.gpus > 1)
      throw usage_error("--gpus", "only one GPU is used here",
                        "many frames and the milestone pipeline");
  });
  if (choice.device) return;
  const std::vector<mpi::LocatedGpu> all = mpi::locate_gpus(std::getenv("CUDA_VISIBLE_DEVICES"));
  const std::string names = mpi::dealt_gpus(all, max_gpus(choice, world), node);
  if (names.empty()) return;
  constexpr int replace = 1;
  setenv("CUDA_VISIBLE_DEVICES", names.c_str(), replace);
}

std::vector<int> choose_gpus(const GpuChoice& choice, const mpi::Communicator& world,
                             const mpi::Communicator& node) {
  require_gpus(world);
  const int count = gpu_count();
  mpi::collective(world, [&] {
    if (choice.gpus.value_or(1) > count)
      throw usage_error("--gpus", fmt::format("there are {}", count),
                        fmt::format("1 to {}", count));
  });
  std::vector<std::string> addresses;
  std::vector<mpi::Cpus> beside;
  for (int device = 0; device < count; ++device) {
    addresses.push_back(gpu_bus_id(device));
    beside.push_back(mpi::cpus_beside(addresses.back()));
  }
  const std::vector<mpi::Cpus> ranks = mpi::gather_allowed_cpus(node);
  const auto rank = static_cast<std::size_t>(node.rank());
  const mpi::Cpus& allowed = ranks[rank];
  const bool own = mpi::ranks_sharing(addresses, node) == 1;  // no other rank sees these GPUs
  std::vector<int> devices = choice.device ? std::vector{*choice.device}
                             : own         ? mpi::deal_devices({allowed}, beside)[0]
                                           : mpi::deal_devices(ranks, beside)[rank];
  devices.resize(std::min(devices.size(), static_cast<std::size_t>(max_gpus(choice, world))));

  std::vector<mpi::Cpus> of_devices;
  std::vector<std::string> taken;
  for (const int device : devices)
    if (device >= 0 && device < count) {
      of_devices.push_back(beside[device]);
      taken.push_back(addresses[device]);
    }
  const mpi::Cpus nearest = choice.bind ? mpi::nearest_cpus(allowed, of_devices) : allowed;
  const bool bound = nearest != allowed && mpi::bind_to(nearest);
  spdlog::debug("rank {} of the node: GPU {}, beside CPUs {}; runs on CPUs {}{}", node.rank(),
                fmt::join(taken, ","), texts_of(of_devices),
                mpi::to_text(bound ? nearest : allowed), bound ? ", bound to them" : "");
  return devices;
}

}  // namespace spex::gpu
