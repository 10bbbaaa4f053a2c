// Inflates whole gzip files elsewhere, such as on a GPU.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace spex {

/// Inflates whole gzip files. Thread-safe.
class WholeInflater {
 public:
  WholeInflater() = default;
  WholeInflater(const WholeInflater&) = delete;
  WholeInflater& operator=(const WholeInflater&) = delete;
  virtual ~WholeInflater() = default;

  /// Whether a gzip file of `size` bytes is to be inflated here. If not, the caller inflates it.
  [[nodiscard]] virtual bool takes(std::size_t size) = 0;
  /// Replaces the gzip file in the first `size` bytes of `memory` by its content, and returns the
  /// content's size. Its size and CRC are those of the file's trailer. Returns nothing if the file
  /// is damaged, of a form that is not supported, larger than `memory` when inflated, or if there
  /// is any doubt: the caller then inflates the file by itself, which also names what is wrong. May
  /// wait for a device.
  [[nodiscard]] virtual std::optional<std::size_t> inflate(std::span<char> memory,
                                                           std::size_t size) = 0;
};

}  // namespace spex
