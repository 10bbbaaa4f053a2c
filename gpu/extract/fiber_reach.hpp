// The reaches for which the kernels of the fiber engine are compiled.
#pragma once

#include "gpu/extract/limits.hpp"

namespace spex::gpu {

/// `function.template operator()<R>()` for a layout's reach, which is one of these.
template <class Function>
auto with_reach(int reach, const Function& function) {
  if (reach == 8) return function.template operator()<8>();
  if (reach == 9) return function.template operator()<9>();
  if (reach == 10) return function.template operator()<10>();
  return function.template operator()<largest_fiber_reach>();
}

}  // namespace spex::gpu
