// Eight vectors of eight lanes, transposed. Include only in kernel sources, as lanes.hpp.
#pragma once

#include "reference/core/simd/lanes.hpp"

namespace spex::SPEX_INSTRUCTION_SET {

/// @cond steps of transpose
template <int... k>
struct LaneNumbers {};
#if defined(__AVX512F__)
using LanesOfPart = LaneNumbers<0, 1, 2, 3, 4, 5, 6, 7>;
#elif defined(__AVX__)
using LanesOfPart = LaneNumbers<0, 1, 2, 3>;
#else
using LanesOfPart = LaneNumbers<0, 1>;
#endif

// Exchanges lanes k + H of a with lanes k of b, for all k without the bit H.
template <int H, int... k>
SPEX_LANES_INLINE void exchange(Lanes::Vector& a, Lanes::Vector& b, LaneNumbers<k...> /*lanes*/) {
  const Lanes::Vector lower =
      __builtin_shufflevector(a, b, ((k & H) != 0 ? Lanes::width + k - H : k)...);
  b = __builtin_shufflevector(a, b, ((k & H) != 0 ? Lanes::width + k : k + H)...);
  a = lower;
}
template <int H>
SPEX_LANES_INLINE void exchange(Lanes& a, Lanes& b) {
#pragma GCC unroll 8
  for (int i = 0; i < Lanes::parts; ++i) {
    if constexpr (H < Lanes::width) {
      exchange<H>(a.part[i], b.part[i], LanesOfPart{});
    } else if (constexpr int parts = H / Lanes::width; (i & parts) == 0) {
      const Lanes::Vector upper = a.part[i + parts];
      a.part[i + parts] = b.part[i];
      b.part[i] = upper;
    }
  }
}
template <int H>
SPEX_LANES_INLINE void exchange_all(Lanes* a) {
#pragma GCC unroll 8
  for (int i = 0; i < Lanes::count; ++i)
    if ((i & H) == 0) exchange<H>(a[i], a[i + H]);
}
/// @endcond

/// Lane k of vector i becomes lane i of vector k, of eight vectors.
SPEX_LANES_INLINE void transpose(Lanes* a) {
  exchange_all<4>(a);
  exchange_all<2>(a);
  exchange_all<1>(a);
}

}  // namespace spex::SPEX_INSTRUCTION_SET
