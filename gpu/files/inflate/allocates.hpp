// Allocation that may fail.
#pragma once

#include <new>

#include "reference/core/error.hpp"

namespace spex::gpu {

/// Calls allocate(); false if memory is exhausted, of the host or of the GPU. Throws Error(device)
/// if the GPU is lost.
template <class Allocate>
[[nodiscard]] bool allocates(const Allocate& allocate) {
  try {
    allocate();
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::device) throw;
    return false;
  }
  return true;
}

}  // namespace spex::gpu
