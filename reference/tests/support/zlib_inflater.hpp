// An inflater of whole gzip files by zlib, for tests.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <zlib.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/whole_inflater.hpp"

namespace spex::test {

/// The content of a file that is one whole gzip stream, and nothing else.
inline std::optional<std::vector<char>> inflate_whole(std::vector<char>& file) {
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
  refuses,       ///< begin() gives nullptr
  nothing,       ///< inflate() gives nothing
  empty,         ///< inflate() gives no bytes
  wrong_bytes,   ///< inflate() gives other bytes, which no inflater should
  device_error,  ///< inflate() throws Error(device)
};

/// Counts the files that it began, those that it inflated, and those that are open.
class ZlibInflater final : public WholeInflater {
 public:
  explicit ZlibInflater(Inflates what = Inflates::by_zlib) : what_(what) {}

  [[nodiscard]] std::unique_ptr<InflatedFile> begin(std::size_t size) override {
    ++begun;
    if (what_ == Inflates::refuses) return nullptr;
    return std::make_unique<File>(*this, size);
  }

  std::atomic<int> begun = 0;
  std::atomic<int> inflated = 0;
  std::atomic<int> open = 0;

 private:
  class File final : public InflatedFile {
   public:
    File(ZlibInflater& of, std::size_t size) : of_(&of), compressed_(size) { ++of_->open; }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() override { --of_->open; }

    [[nodiscard]] std::span<char> compressed() override { return compressed_; }
    [[nodiscard]] std::optional<std::span<const char>> inflate() override {
      if (of_->what_ == Inflates::device_error)
        throw Error(ErrorKind::device, "GPU 0", "it failed");
      if (of_->what_ == Inflates::nothing) return std::nullopt;
      if (of_->what_ == Inflates::empty) return std::span<const char>{};
      std::optional<std::vector<char>> content = inflate_whole(compressed_);
      if (!content) return std::nullopt;
      ++of_->inflated;
      content_ = std::move(*content);
      if (of_->what_ == Inflates::wrong_bytes)
        for (std::size_t i = content_.size() / 2; i < content_.size(); i += 1000) content_[i] ^= 1;
      return content_;
    }

   private:
    ZlibInflater* of_;
    std::vector<char> compressed_;
    std::vector<char> content_;
  };

  Inflates what_;
};

}  // namespace spex::test
