// Deflate by ISA-L.
#include <cstdint>
#include <stdexcept>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include "reference/fits/write/gzip.hpp"

namespace spex {

bool deflate_by_isal(std::span<const char> piece, bool last, DeflatedPiece& to) {
  // Levels 2 and 3 make a frame smaller by only 0.1 %. Larger buffers make fewer, longer blocks.
  std::vector<unsigned char> level_buffer(ISAL_DEF_LVL1_EXTRA_LARGE);
  // ISA-L does not write to its input.
  auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(piece.data()));
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.level = 1;
  stream.level_buf = level_buffer.data();
  stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
  stream.flush = FULL_FLUSH;
  stream.end_of_stream = last ? 1 : 0;
  // Incompressible bytes are stored, with 5 bytes more for each block of 64 kB.
  to.bytes.resize(piece.size() + piece.size() / 1024 + 1024);
  stream.next_in = bytes;
  stream.avail_in = static_cast<std::uint32_t>(piece.size());
  stream.next_out = reinterpret_cast<unsigned char*>(to.bytes.data());
  stream.avail_out = static_cast<std::uint32_t>(to.bytes.size());
  if (isal_deflate_stateless(&stream) != COMP_OK)
    throw std::logic_error("ISA-L did not compress a piece of a file");
  to.bytes.resize(to.bytes.size() - stream.avail_out);
  to.crc = crc32_gzip_refl(0, bytes, piece.size());
  return true;
}

}  // namespace spex
