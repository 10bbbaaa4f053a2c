#include "reference/fits/deflate_fast.hpp"

#include <memory>
#include <new>

#include <libdeflate.h>

namespace spex {
namespace {

// A frame is as small by this as by zlib's level 1, in less than half of the time; level 1 saves a
// quarter more and leaves it a tenth larger.
constexpr int level = 2;

struct Free {
  void operator()(libdeflate_compressor* one) const noexcept { libdeflate_free_compressor(one); }
};

}  // namespace

std::optional<std::vector<char>> deflate_fast(std::span<const char> bytes) {
  const std::unique_ptr<libdeflate_compressor, Free> compressor(libdeflate_alloc_compressor(level));
  if (!compressor) throw std::bad_alloc();
  std::vector<char> out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()));
  out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(),
                                      out.size()));
  return out;
}

}  // namespace spex
