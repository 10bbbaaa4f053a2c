// The reaches for which the fiber engine's kernels are compiled.
#pragma once

#include "gpu/extract/batch/limits.hpp"

namespace spex::gpu {

/// Whether kernels are compiled for small reaches too, for which they are faster
/// (SPEX_SMALL_REACHES of CMake).
#ifdef SPEX_LARGEST_REACH_ONLY
inline constexpr bool small_reaches = false;
#else
inline constexpr bool small_reaches = true;
#endif

/// Calls `function.template operator()<R>()` with R = `reach`, which must be a compiled reach.
template <class Function>
auto with_reach(int reach, const Function& function) {
  if constexpr (small_reaches) {
    if (reach == 8) return function.template operator()<8>();
    if (reach == 9) return function.template operator()<9>();
    if (reach == 10) return function.template operator()<10>();
  }
  return function.template operator()<largest_fiber_reach>();
}

}  // namespace spex::gpu
