#include "mpi/run/assign.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex::mpi {
namespace {

// Numbers consecutive patches with the same unit, by same_unit(previous, patch): [patches.size()].
template <class SameUnit>
std::vector<int> unit_of(const std::vector<Patch>& patches, const SameUnit& same_unit) {
  std::vector<int> unit(patches.size(), 0);
  for (std::size_t p = 1; p < patches.size(); ++p)
    unit[p] = unit[p - 1] + (same_unit(patches[p - 1], patches[p]) ? 0 : 1);
  return unit;
}

std::vector<int> unit_of_bundles(const std::vector<Patch>& patches) {
  return unit_of(patches, [](const Patch& a, const Patch& b) { return a.bundle == b.bundle; });
}

// The number of units of each rank, [nranks]. They differ by at most one: the ranks with one more
// are those that balance the devices.
std::vector<int> units_of_ranks(int units, int nranks, const std::vector<int>& device_of_rank) {
  std::vector<int> count(static_cast<std::size_t>(nranks), 0);
  std::map<int, int> count_of_device;
  const auto device_of = [&](std::size_t rank) {
    return device_of_rank.empty() ? 0 : device_of_rank.at(rank);
  };
  const auto load_of = [&](std::size_t rank) {
    return std::pair(count[rank], count_of_device[device_of(rank)]);
  };
  for (int unit = 0; unit < units; ++unit) {
    std::size_t next = 0;
    for (std::size_t rank = 1; rank < count.size(); ++rank)
      if (load_of(rank) < load_of(next)) next = rank;
    ++count[next];
    ++count_of_device[device_of(next)];
  }
  return count;
}

// The ranks of each device.
std::vector<std::vector<int>> ranks_of_devices(int nranks, const std::vector<int>& device_of_rank) {
  std::vector<std::vector<int>> ranks;
  for (int rank = 0; rank < nranks; ++rank) {
    const std::size_t device = device_of_rank.empty() ? 0 : device_of_rank.at(rank);
    if (device >= ranks.size()) ranks.resize(device + 1);
    ranks[device].push_back(rank);
  }
  // Numbers that no rank has.
  std::erase_if(ranks, [](const std::vector<int>& of_device) { return of_device.empty(); });
  return ranks;
}

std::vector<int> assign_in_turn(const std::vector<Patch>& patches, int nranks,
                                const std::vector<int>& device_of_rank) {
  const std::vector<int> bundle = unit_of_bundles(patches);
  std::vector<std::vector<int>> ranks = ranks_of_devices(nranks, device_of_rank);
  if (static_cast<std::size_t>(bundle.back()) + 1 < ranks.size())
    ranks = ranks_of_devices(nranks, {});
  std::vector<int> rank;
  rank.reserve(patches.size());
  std::size_t place = 0;  // within the bundle
  for (std::size_t p = 0; p < patches.size(); ++p) {
    if (p > 0 && bundle[p] != bundle[p - 1]) place = 0;
    const std::vector<int>& sharing = ranks[static_cast<std::size_t>(bundle[p]) % ranks.size()];
    rank.push_back(sharing[place++ % sharing.size()]);
  }
  return rank;
}

std::vector<int> assign_to_teams(const std::vector<Patch>& patches, int nranks, int team_size) {
  const auto by_subbundle = [](const Patch& a, const Patch& b) {
    return a.subbundle < b.subbundle;
  };
  const auto [first, last] = std::minmax_element(patches.begin(), patches.end(), by_subbundle);
  const int lowest = first->subbundle;
  const int subbundles = last->subbundle - lowest + 1;
  if (team_size < 1 || team_size > std::min(nranks, subbundles))
    throw usage_error("--ranks-per-bundle", std::to_string(team_size),
                      fmt::format("1 to {}: there are {} rank(s), and {} subbundle(s)",
                                  std::min(nranks, subbundles), nranks, subbundles));
  const int lowest_bundle = patches.front().bundle;
  const long bundles = patches.back().bundle - lowest_bundle + 1;
  const long teams = std::min<long>(nranks / team_size, bundles);
  std::vector<int> rank;
  rank.reserve(patches.size());
  for (const Patch& patch : patches) {
    const long team = (patch.bundle - lowest_bundle) * teams / bundles;
    const int member = (patch.subbundle - lowest) * team_size / subbundles;
    rank.push_back(static_cast<int>(team) * team_size + member);
  }
  return rank;
}

}  // namespace

std::vector<int> assign_patches(const std::vector<Patch>& patches, int nranks, WorkUnit work,
                                std::optional<int> ranks_per_bundle,
                                const std::vector<int>& device_of_rank) {
  if (patches.empty()) return {};
  if (ranks_per_bundle) return assign_to_teams(patches, nranks, *ranks_per_bundle);
  if (work == WorkUnit::patch) return assign_in_turn(patches, nranks, device_of_rank);
  std::vector<int> unit = unit_of_bundles(patches);
  if (unit.back() + 1 < nranks)
    unit = unit_of(patches, [](const Patch& a, const Patch& b) {
      return a.bundle == b.bundle && a.subbundle == b.subbundle;
    });
  const int units = unit.back() + 1;
  if (units < nranks) return unit;
  std::vector<int> rank_of_unit;
  int next = 0;
  for (const int count : units_of_ranks(units, nranks, device_of_rank))
    rank_of_unit.insert(rank_of_unit.end(), static_cast<std::size_t>(count), next++);
  std::vector<int> rank;
  rank.reserve(unit.size());
  for (const int u : unit) rank.push_back(rank_of_unit[static_cast<std::size_t>(u)]);
  return rank;
}

}  // namespace spex::mpi
