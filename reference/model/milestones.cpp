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

std::string to_string(Method method) {
  return method == Method::eigh ? "eigh" : "cholesky";
}

std::string to_string(Schedule schedule) {
  switch (schedule) {
    case Schedule::sequential:
      return "sequential";
    case Schedule::interleave_io:
      return "interleave-io";
    case Schedule::pipeline:
      return "pipeline";
  }
  return "?";
}

}  // namespace spex
