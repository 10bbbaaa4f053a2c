// The reaches for which the fiber engine's kernels are compiled.
#pragma once

#include "gpu/extract/batch/limits.hpp"

namespace spex::gpu {

/// Calls `function.template operator()<R>()` with R = `reach`, which must be a compiled reach.
template <class Function>
auto with_reach(int reach, const Function& function) {
  if (reach == 8) return function.template operator()<8>();
  if (reach == 9) return function.template operator()<9>();
  if (reach == 10) return function.template operator()<10>();
  return function.template operator()<largest_fiber_reach>();
}

}  // namespace spex::gpu
