// Arrays of numbers that begin at a cache line, for kernels over lanes.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace spex {

/// Allocates whole cache lines.
template <class T>
struct AlignedAllocator {
  using value_type = T;                              ///< of the elements
  static constexpr std::align_val_t cache_line{64};  ///< bytes
  AlignedAllocator() = default;
  /// From the allocator of another type.
  template <class Other>
  AlignedAllocator(const AlignedAllocator<Other>& /*other*/) {}
  /// Room for n elements.
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), cache_line)); }
  /// Gives back what `allocate` gave.
  void deallocate(T* room, std::size_t /*n*/) { ::operator delete(room, cache_line); }
  /// All are equal.
  template <class Other>
  bool operator==(const AlignedAllocator<Other>& /*other*/) const {
    return true;
  }
};

/// Numbers that begin at a cache line.
using AlignedDoubles = std::vector<double, AlignedAllocator<double>>;

}  // namespace spex
