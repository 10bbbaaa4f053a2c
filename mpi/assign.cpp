#include "mpi/assign.hpp"

#include <cstddef>

namespace spex::mpi {
namespace {

// Numbers the runs of patches for which same_unit(previous, patch) holds: [patches.size()].
template <class SameUnit>
std::vector<int> unit_of(const std::vector<Patch>& patches, const SameUnit& same_unit) {
  std::vector<int> unit(patches.size(), 0);
  for (std::size_t p = 1; p < patches.size(); ++p)
    unit[p] = unit[p - 1] + (same_unit(patches[p - 1], patches[p]) ? 0 : 1);
  return unit;
}

}  // namespace

std::vector<int> assign_patches(const std::vector<Patch>& patches, int nranks,
                                CpuMilestone milestone) {
  if (patches.empty()) return {};
  std::vector<int> unit;
  if (milestone == CpuMilestone::baseline) {
    unit = unit_of(patches, [](const Patch&, const Patch&) { return false; });
  } else {
    unit = unit_of(patches, [](const Patch& a, const Patch& b) { return a.bundle == b.bundle; });
    if (unit.back() + 1 < nranks)
      unit = unit_of(patches, [](const Patch& a, const Patch& b) {
        return a.bundle == b.bundle && a.subbundle == b.subbundle;
      });
  }
  // Unit u of `units` goes to rank u nranks / units: as even as whole units allow.
  const long units = unit.back() + 1;
  std::vector<int> rank(patches.size());
  for (std::size_t p = 0; p < rank.size(); ++p)
    rank[p] = static_cast<int>(units >= nranks ? static_cast<long>(unit[p]) * nranks / units
                                               : static_cast<long>(unit[p]));
  return rank;
}

}  // namespace spex::mpi
