#include "reference/fits/inflate.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex {

bool Inflater::inflate(std::span<const unsigned char> stream, std::span<unsigned char> to) {
  reset();
  const Step all = step({reinterpret_cast<const char*>(stream.data()), stream.size()},
                        {reinterpret_cast<char*>(to.data()), to.size()});
  return all.ended && all.made == to.size();
}

bool is_gzip(std::span<const char> bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

namespace {

// A window on the compressed bytes of a file.
class Window {
 public:
  Window(const ReadAt& read_at, std::size_t size)
      : read_at_(read_at), size_(size), buffer_(std::min(size, piece)) {}

  // The bytes that follow those consumed, at least `least` of them where the file has so many.
  std::span<const char> bytes(std::size_t least) {
    if (end_ - begin_ < least && at_ < size_) {
      std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
      end_ -= begin_;
      begin_ = 0;
      const std::size_t wanted = std::min(buffer_.size() - end_, size_ - at_);
      const auto count = static_cast<std::size_t>(read_at_(
          static_cast<long long>(at_), buffer_.data() + end_, static_cast<long long>(wanted)));
      end_ += count;
      at_ = count < wanted ? size_ : at_ + count;  // a file that shrinks has ended
    }
    return {buffer_.data() + begin_, end_ - begin_};
  }
  void consume(std::size_t count) { begin_ += count; }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 20;  // stays in a cache

  const ReadAt& read_at_;
  std::size_t size_;
  std::size_t at_ = 0;  // of the file: the first byte that has not been read
  Bytes buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of the buffer: bytes that have not been consumed
};

// The last four bytes of a gzip file state the length of its last stream, modulo 2^32.
std::size_t stated_length(const ReadAt& read_at, std::size_t size) {
  constexpr std::size_t shortest = 18;  // a stream's header and trailer
  std::array<char, 4> last{};
  constexpr auto count = static_cast<long long>(last.size());
  if (size < shortest || read_at(static_cast<long long>(size) - count, last.data(), count) != count)
    return 0;
  std::size_t length = 0;
  for (std::size_t k = 0; k < last.size(); ++k)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(last[k])) << (8 * k);
  return length;
}

}  // namespace

Bytes unzip(const ReadAt& read_at, std::size_t size, const std::string& path, std::size_t most) {
  constexpr std::size_t usual_ratio = 16;  // of images, with room
  constexpr std::size_t least_room = std::size_t{1} << 16;
  const auto damaged = [&](const std::string& why) {
    return data_error(path, "cannot be decompressed: " + why, "a whole gzip file");
  };
  Window window(read_at, size);
  Inflater inflater;
  // One byte more than is allowed shows that a file holds too much.
  const std::size_t limit = most + 1;
  Bytes out(std::min({stated_length(read_at, size), usual_ratio * size, limit}));
  std::size_t made = 0;
  while (is_gzip(window.bytes(2))) {
    inflater.reset();
    for (bool ended = false; !ended;) {
      if (made == out.size()) out.resize(std::min(std::max(2 * made, least_room), limit));
      const std::span<const char> from = window.bytes(1);
      const Inflater::Step step = inflater.step(from, {out.data() + made, out.size() - made});
      if (!step.wrong.empty()) throw damaged(step.wrong);
      window.consume(step.read);
      made += step.made;
      ended = step.ended;
      if (made > most) throw damaged(fmt::format("more than {} bytes", most));
      if (!ended && step.read == 0 && step.made == 0)
        throw damaged(window.bytes(1).empty() ? "it ends early" : "a damaged stream");
    }
  }
  out.resize(made);
  return out;
}

Bytes unzip(std::span<const char> bytes, const std::string& path, std::size_t most) {
  return unzip(read_memory_at(bytes), bytes.size(), path, most);
}

}  // namespace spex
