#include "gpu/files/inflate/gzip_member.hpp"

namespace spex::gpu {
namespace {

constexpr std::size_t header_size = 10, trailer_size = 8;
constexpr std::size_t most_inflated_by_byte = 1032;  // 258 bytes by 2 bits
enum Flag : unsigned { header_crc = 2, extra = 4, name = 8, comment = 16, reserved = 0xE0 };

unsigned byte_of(std::span<const char> file, std::size_t at) {
  return static_cast<unsigned char>(file[at]);
}
std::uint32_t word_of(std::span<const char> file, std::size_t at) {
  return byte_of(file, at) | byte_of(file, at + 1) << 8 | byte_of(file, at + 2) << 16 |
         byte_of(file, at + 3) << 24;
}

}  // namespace

std::optional<GzipMember> read_gzip_member(std::span<const char> file) {
  if (file.size() < header_size + trailer_size || file.size() > max_gzip_bytes) return std::nullopt;
  constexpr unsigned id1 = 31, id2 = 139, deflate = 8;
  if (byte_of(file, 0) != id1 || byte_of(file, 1) != id2 || byte_of(file, 2) != deflate)
    return std::nullopt;
  const unsigned flags = byte_of(file, 3);
  if ((flags & reserved) != 0) return std::nullopt;
  std::size_t at = header_size;
  const std::size_t end = file.size() - trailer_size;
  if ((flags & extra) != 0) at += 2 + byte_of(file, at) + (byte_of(file, at + 1) << 8);
  for (const Flag text : {name, comment}) {
    if ((flags & text) == 0) continue;
    while (at < end && file[at] != 0) ++at;
    ++at;
  }
  if ((flags & header_crc) != 0) at += 2;
  if (at >= end) return std::nullopt;
  const GzipMember member{at, end, word_of(file, end), word_of(file, end + 4)};
  if (member.size > max_inflated_bytes || member.size > file.size() * most_inflated_by_byte)
    return std::nullopt;
  return member;
}

}  // namespace spex::gpu
