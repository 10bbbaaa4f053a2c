// Arrays of numbers that begin at a cache line, for kernels over lanes.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
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
  explicit AlignedAllocator(const AlignedAllocator<Other>& /*other*/) {}
  /// Memory for n elements, uninitialized. Throws std::bad_alloc.
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), cache_line)); }
  /// Frees the memory of `allocate`.
  void deallocate(T* room, std::size_t /*n*/) { ::operator delete(room, cache_line); }
  /// Leaves elements without a value uninitialized, such as those of `AlignedDoubles(n)`.
  template <class Element, class... Value>
  void construct(Element* at, Value&&... value) {
    if constexpr (sizeof...(Value) == 0)
      ::new (static_cast<void*>(at)) Element;
    else
      ::new (static_cast<void*>(at)) Element(std::forward<Value>(value)...);
  }
  /// Any of these allocators can free the memory of any other.
  template <class Other>
  bool operator==(const AlignedAllocator<Other>& /*other*/) const {
    return true;
  }
};

/// Numbers that begin at a cache line.
using AlignedDoubles = std::vector<double, AlignedAllocator<double>>;

}  // namespace spex
