// Steps of a warp that also run on the host, lane after lane: tests without a GPU run them so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/core/host_device.hpp"

namespace spex::gpu::deflate {

using std::int32_t, std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;

inline constexpr uint32_t lanes = 32;
inline constexpr uint32_t none = ~0U;

/// Calls step(lane) in every lane; then all lanes see what others wrote to shared memory.
template <class Step>
SPEX_HD inline void for_lanes(const Step& step) {
#ifdef __CUDA_ARCH__
  step(threadIdx.x % lanes);
  __syncwarp();
#else
  for (uint32_t lane = 0; lane < lanes; ++lane) step(lane);
#endif
}

/// Ends reads of shared memory that is written again.
SPEX_HD inline void wait_for_lanes() {
#ifdef __CUDA_ARCH__
  __syncwarp();
#endif
}

/// The lanes for which holds(lane), as bits.
template <class Holds>
SPEX_HD inline uint32_t vote(const Holds& holds) {
#ifdef __CUDA_ARCH__
  return __ballot_sync(~0U, holds(threadIdx.x % lanes));
#else
  uint32_t votes = 0;
  for (uint32_t lane = 0; lane < lanes; ++lane)
    if (holds(lane)) votes |= 1U << lane;
  return votes;
#endif
}

/// Whether a condition is true in any lane; all lanes must ask, and go on together. On the host
/// each lane has its own answer.
SPEX_HD inline bool any_lane(bool condition) {
#ifdef __CUDA_ARCH__
  return __any_sync(~0U, condition) != 0;
#else
  return condition;
#endif
}

/// The number of the lowest bit that is set; 32 if there is none.
SPEX_HD inline uint32_t lowest_bit(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return bits != 0 ? static_cast<uint32_t>(__ffs(static_cast<int>(bits))) - 1 : lanes;
#else
  return bits != 0 ? static_cast<uint32_t>(__builtin_ctz(bits)) : lanes;
#endif
}

/// Bits set in a word of 64 bits.
SPEX_HD inline uint32_t count_bits(uint64_t bits) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__popcll(static_cast<long long>(bits)));
#else
  return static_cast<uint32_t>(__builtin_popcountll(bits));
#endif
}
/// The numbers of the lowest and the highest bit that is set, of which there must be one.
SPEX_HD inline uint32_t first_bit(uint64_t bits) {
#ifdef __CUDA_ARCH__
  return static_cast<uint32_t>(__ffsll(static_cast<long long>(bits))) - 1;
#else
  return static_cast<uint32_t>(__builtin_ctzll(bits));
#endif
}
SPEX_HD inline uint32_t last_bit(uint64_t bits) {
#ifdef __CUDA_ARCH__
  return 63 - static_cast<uint32_t>(__clzll(static_cast<long long>(bits)));
#else
  return 63 - static_cast<uint32_t>(__builtin_clzll(bits));
#endif
}

/// Adds to a counter that all warps share; returns the value before.
SPEX_HD inline uint32_t add_to(uint32_t& counter, uint32_t value) {
#ifdef __CUDA_ARCH__
  return atomicAdd(&counter, value);
#else
  const uint32_t before = counter;
  counter += value;
  return before;
#endif
}
/// Sets bits of a word that all warps share.
SPEX_HD inline void set_bits(uint32_t& word, uint32_t bits) {
#ifdef __CUDA_ARCH__
  atomicOr(&word, bits);
#else
  word |= bits;
#endif
}
SPEX_HD inline void set_bits(unsigned long long& word, unsigned long long bits) {
#ifdef __CUDA_ARCH__
  atomicOr(&word, bits);
#else
  word |= bits;
#endif
}

/// A load of a word that other warps may write meanwhile.
SPEX_HD inline unsigned long long load_relaxed(const unsigned long long& word) {
#ifdef __CUDA_ARCH__
  unsigned long long value = 0;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(&word) : "memory");
  return value;
#else
  return word;
#endif
}
SPEX_HD inline void store_relaxed(unsigned long long& word, unsigned long long value) {
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(&word), "l"(value) : "memory");
#else
  word = value;
#endif
}

}  // namespace spex::gpu::deflate
