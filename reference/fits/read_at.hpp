// Random access to the bytes of a file on disk or in memory.
#pragma once

#include <functional>
#include <span>
#include <string>

namespace spex {

/// Copies up to `count` bytes at `offset` of a file to `to` and returns the number of bytes copied.
using ReadAt = std::function<long long(long long offset, char* to, long long count)>;

/// Reads a file on disk. Throws Error(data) if the file cannot be opened or a read fails, so that a
/// disk error is not taken for the end of the file. Thread-safe.
[[nodiscard]] ReadAt read_file_at(const std::string& path);

/// Reads a file in memory; `bytes` must outlive the result. Thread-safe.
[[nodiscard]] ReadAt read_memory_at(std::span<const char> bytes);

}  // namespace spex
