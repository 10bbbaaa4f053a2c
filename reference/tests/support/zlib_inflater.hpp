// An inflater of whole gzip files by zlib, for tests.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include <zlib.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/whole_inflater.hpp"

namespace spex::test {

/// The content of a file that is one whole gzip stream, and nothing else.
inline std::optional<std::vector<char>> inflate_whole(std::span<char> file) {
  constexpr int gzip_header = 15 + 16;  // zlib's windowBits
  constexpr std::size_t most = std::size_t{1} << 28;
  z_stream stream{};
  if (inflateInit2(&stream, gzip_header) != Z_OK) throw std::runtime_error("no memory for zlib");
  stream.next_in = reinterpret_cast<unsigned char*>(file.data());
  stream.avail_in = static_cast<unsigned>(file.size());
  std::vector<char> content, piece(std::size_t{1} << 18);
  int code = Z_OK;
  while (code == Z_OK && content.size() < most) {
    stream.next_out = reinterpret_cast<unsigned char*>(piece.data());
    stream.avail_out = static_cast<unsigned>(piece.size());
    code = ::inflate(&stream, Z_NO_FLUSH);
    content.insert(content.end(), piece.begin(), piece.end() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END || stream.avail_in != 0) return std::nullopt;
  return content;
}

/// What a ZlibInflater does with a file.
enum class Inflates {
  by_zlib,
  refuses,       ///< takes() gives false
  nothing,       ///< inflate() gives nothing
  empty,         ///< inflate() gives no bytes
  wrong_bytes,   ///< inflate() gives other bytes, which no inflater should
  device_error,  ///< inflate() throws Error(device)
};

/// Counts the files that it was asked to take, those that it was given, and those that it inflated.
class ZlibInflater final : public WholeInflater {
 public:
  explicit ZlibInflater(Inflates what = Inflates::by_zlib) : what_(what) {}

  [[nodiscard]] bool takes(std::size_t /*size*/) override {
    ++asked;
    return what_ != Inflates::refuses;
  }
  [[nodiscard]] std::optional<std::size_t> inflate(std::span<char> memory,
                                                   std::size_t size) override {
    ++given;
    if (what_ == Inflates::device_error) throw Error(ErrorKind::device, "GPU 0", "it failed");
    if (what_ == Inflates::nothing) return std::nullopt;
    if (what_ == Inflates::empty) return 0;
    std::optional<std::vector<char>> content = inflate_whole(memory.first(size));
    if (!content || content->size() > memory.size()) return std::nullopt;
    ++inflated;
    if (what_ == Inflates::wrong_bytes)
      for (std::size_t i = content->size() / 2; i < content->size(); i += 1000) (*content)[i] ^= 1;
    std::ranges::copy(*content, memory.begin());
    return content->size();
  }

  std::atomic<int> asked = 0;
  std::atomic<int> given = 0;
  std::atomic<int> inflated = 0;

 private:
  Inflates what_;
};

}  // namespace spex::test
