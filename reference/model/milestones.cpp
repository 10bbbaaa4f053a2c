#include "reference/model/milestones.hpp"

namespace spex {

std::optional<Milestone> find_milestone(std::string_view name) {
  const auto found = std::ranges::find(milestones, name, &MilestoneTraits::name);
  if (found == milestones.end()) return std::nullopt;
  return found->milestone;
}

std::vector<Milestone> milestones_of(Device device) {
  std::vector<Milestone> result{default_milestone(device)};
  for (const MilestoneTraits& one : milestones)
    if (one.device == device && one.milestone != result.front()) result.push_back(one.milestone);
  return result;
}

std::string to_string(Milestone milestone) {
  return std::string(traits(milestone).name);
}

}  // namespace spex
