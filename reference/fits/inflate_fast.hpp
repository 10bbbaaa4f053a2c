// Gzip files by libdeflate, where the build has it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "reference/fits/bytes.hpp"

namespace spex {

/// What the gzip streams `bytes` hold, one after the other, bytes behind them ignored. Nothing
/// where they hold more than `most` bytes or a stream is damaged, which Inflater::inflate_all puts
/// into words, or where the build has no libdeflate. Memory grows with what the streams hold,
/// whatever they say of it.
[[nodiscard]] std::optional<Bytes> inflate_fast(std::span<const char> bytes, std::size_t most);

}  // namespace spex
