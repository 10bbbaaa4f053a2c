// The milestones with which tests run spex-cpu.
#pragma once

#include <string>
#include <vector>

#include "reference/model/milestones.hpp"

namespace spex::test {

/// The milestones of spex-cpu that support both methods.
inline std::vector<std::string> cpu_milestones() {
  std::vector<std::string> names;
  for (const Milestone one : milestones_of(Device::cpu))
    if (supports(one, Method::eigh) && supports(one, Method::cholesky))
      names.push_back(to_string(one));
  return names;
}

}  // namespace spex::test
