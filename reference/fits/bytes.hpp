// Byte buffers without initialization.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace spex {

/// A standard allocator that default-initializes elements, so that resize() does not clear hundreds
/// of MB that are about to be overwritten.
template <class T>
class Uncleared : public std::allocator<T> {
 public:
  Uncleared() = default;
  /// All allocators are equal.
  template <class U>
  explicit Uncleared(const Uncleared<U>& /*other*/) noexcept {}

  /// Default-initializes an element.
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  /// Constructs an element from a value.
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
};

/// The bytes of a file.
using Bytes = std::vector<char, Uncleared<char>>;

}  // namespace spex
