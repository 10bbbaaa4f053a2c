// Header and trailer of a gzip file of one member (RFC 1952).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace spex::gpu {

/// Compressed bytes of a file that can be inflated: bit numbers must fit into 32 bits.
inline constexpr std::size_t max_gzip_bytes = 500'000'000;
/// Inflated bytes of such a file: place numbers must fit into 32 bits.
inline constexpr std::size_t max_inflated_bytes = (std::size_t{1} << 31) - 1;

/// Where the DEFLATE stream of a file begins, and where the trailer; what the trailer says.
struct GzipMember {
  std::size_t begin = 0, end = 0;  ///< bytes
  std::uint32_t crc = 0;
  std::size_t size = 0;  ///< inflated bytes
};

/// The member of a file as if it were its only one. Nothing if the file is no gzip file, or is
/// beyond the limits above or of what DEFLATE can compress.
[[nodiscard]] std::optional<GzipMember> read_gzip_member(std::span<const char> file);

}  // namespace spex::gpu
