// Gzip by libdeflate, where the build has it.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace spex {

/// A gzip stream of `bytes` without a time stamp: the same for the same bytes and library. Nothing
/// where the build has no libdeflate. Takes memory for the stream.
[[nodiscard]] std::optional<std::vector<char>> deflate_fast(std::span<const char> bytes);

}  // namespace spex
