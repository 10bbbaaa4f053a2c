// Bytes of a file, in memory that is not cleared before they come.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace spex {

/// The standard allocator, but that elements which are given no value get none: resize() does not
/// write to the memory of hundreds of MB that is about to be filled.
template <class T>
class Uncleared : public std::allocator<T> {
 public:
  Uncleared() = default;
  /// All are alike.
  template <class U>
  explicit Uncleared(const Uncleared<U>& /*other*/) noexcept {}

  /// An element of no value.
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  /// An element of a value.
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
};

/// Bytes of a file.
using Bytes = std::vector<char, Uncleared<char>>;

}  // namespace spex
