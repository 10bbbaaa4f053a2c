// The bytes of a file, wherever they are.
#pragma once

#include <functional>
#include <span>
#include <string>

namespace spex {

/// Copies up to `count` bytes at `offset` of a file to `to`; returns how many there were.
using ReadAt = std::function<long long(long long offset, char* to, long long count)>;

/// Of a file on disk. Throws Error(data) where it cannot be opened, and where a disk fails, which
/// is not taken for a file that ends. For one thread.
[[nodiscard]] ReadAt read_file_at(const std::string& path);

/// Of a file in memory, which must outlive what is returned.
[[nodiscard]] ReadAt read_memory_at(std::span<const char> bytes);

}  // namespace spex
