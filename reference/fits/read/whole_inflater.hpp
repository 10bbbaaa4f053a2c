// Inflates whole gzip files elsewhere, such as on a GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace spex {

/// One gzip file: memory for its bytes, and later the inflated bytes. Both are valid while the
/// object lives, which may occupy part of a device's memory: destroy it when the file is read.
class InflatedFile {
 public:
  InflatedFile() = default;
  InflatedFile(const InflatedFile&) = delete;
  InflatedFile& operator=(const InflatedFile&) = delete;
  virtual ~InflatedFile() = default;

  /// Memory for all bytes of the gzip file, which the caller fills.
  [[nodiscard]] virtual std::span<char> compressed() = 0;
  /// The inflated bytes, whose size and CRC are those of the file's trailer. Nothing if the file is
  /// damaged, or of a form that is not supported, or if there is any doubt: the caller then
  /// inflates the file by itself, which also names what is wrong. Called once.
  [[nodiscard]] virtual std::optional<std::span<const char>> inflate() = 0;
};

/// Inflates whole gzip files. Thread-safe.
class WholeInflater {
 public:
  WholeInflater() = default;
  WholeInflater(const WholeInflater&) = delete;
  WholeInflater& operator=(const WholeInflater&) = delete;
  virtual ~WholeInflater() = default;

  /// Begins a file of `size` bytes. nullptr if files of this size are better inflated by the
  /// caller, or if the device is not ready. May wait for memory of earlier files.
  [[nodiscard]] virtual std::unique_ptr<InflatedFile> begin(std::size_t size) = 0;
};

}  // namespace spex
