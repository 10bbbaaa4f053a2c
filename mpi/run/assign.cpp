#include "mpi/run/assign.hpp"

#include <algorithm>
#include <cstddef>

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

std::vector<int> assign_patches(const std::vector<Patch>& patches, int nranks, Milestone milestone,
                                std::optional<int> ranks_per_bundle) {
  if (patches.empty()) return {};
  if (ranks_per_bundle) return assign_to_teams(patches, nranks, *ranks_per_bundle);
  std::vector<int> unit;
  if (traits(milestone).unit == WorkUnit::patch) {
    unit = unit_of(patches, [](const Patch&, const Patch&) { return false; });
  } else {
    unit = unit_of(patches, [](const Patch& a, const Patch& b) { return a.bundle == b.bundle; });
    if (unit.back() + 1 < nranks)
      unit = unit_of(patches, [](const Patch& a, const Patch& b) {
        return a.bundle == b.bundle && a.subbundle == b.subbundle;
      });
  }
  // Unit u of `units` goes to rank u nranks / units, which balances whole units.
  const long units = unit.back() + 1;
  std::vector<int> rank(patches.size());
  for (std::size_t p = 0; p < rank.size(); ++p)
    rank[p] = static_cast<int>(units >= nranks ? static_cast<long>(unit[p]) * nranks / units
                                               : static_cast<long>(unit[p]));
  return rank;
}

}  // namespace spex::mpi
