#include "reference/fits/read/inflate_ahead.hpp"

#include <algorithm>
#include <deque>
#include <future>
#include <new>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <zlib.h>

#include "reference/core/thread_name.hpp"
#include "reference/fits/bytes.hpp"
#include "reference/fits/read/block_header.hpp"
#include "reference/fits/read/deflate_chunk.hpp"

namespace spex {
namespace {

// More threads would wait for the reader, which copies and converts what they make.
constexpr int max_threads = 16;
// Inflated bytes of a chunk, so that memory is bounded. Where more come of 2 MiB, as of a plane of
// zeros, one thread inflates them in the cache faster than several can pass them on.
constexpr std::size_t max_of_chunk = std::size_t{16} << 20;

Bytes read_bytes(const ReadAt& read_at, std::size_t from, std::size_t count) {
  Bytes bytes(count);
  bytes.resize(static_cast<std::size_t>(
      read_at(static_cast<long long>(from), bytes.data(), static_cast<long long>(bytes.size()))));
  return bytes;
}

// A chunk of the stream, from bit `begin` of the file to bit `end`.
struct Chunk {
  std::size_t begin = 0, end = 0;
  unsigned char last = 0;  // the byte of bit `end`, if that is within a byte
  std::unique_ptr<DeflateChunk> data;
};

// The file is in parts of equal size. Chunk k goes from the first block that begins in part k to
// the first that begins in part k + 1; chunk 0 begins with the stream.
struct Parts {
  ReadAt read_at;
  std::size_t size;
  std::size_t part;
  std::size_t stream;  // the byte where the stream's blocks begin, in part 0

  // Nothing if there is any doubt. Reuses the memory of `spare`, if any.
  [[nodiscard]] std::optional<Chunk> inflate(std::size_t k,
                                             std::unique_ptr<DeflateChunk> spare) const {
    const std::size_t first = k * part;
    const Bytes bytes =
        read_bytes(read_at, first, std::min(size - first, 2 * part + max_header_bytes));
    if (bytes.size() < part + max_header_bytes) return {};
    const std::optional<std::size_t> begin =
        k == 0 ? 8 * stream : find_dynamic_block(std::span(bytes).first(part + max_header_bytes));
    if (!begin) return {};
    std::optional<std::size_t> end = find_dynamic_block(std::span(bytes).subspan(part));
    if (!end) return {};
    *end += 8 * part;
    Chunk chunk{.begin = 8 * first + *begin,
                .end = 8 * first + *end,
                .last = static_cast<unsigned char>(bytes[*end / 8]),
                .data = spare ? std::move(spare) : std::make_unique<DeflateChunk>()};
    if (!chunk.data->inflate(bytes, *begin, *end, max_of_chunk)) return {};
    return chunk;
  }
};

class Threads final : public InflateAhead {
 public:
  Threads(Parts parts, int count) : parts_(std::move(parts)), place_{.bit = 8 * parts_.stream} {
    for (int i = 0; i < count; ++i) start(nullptr);
  }

  [[nodiscard]] std::size_t read(std::span<char> to) override {
    if (copied_ == bytes().size() && !take()) return 0;
    const std::span<const char> rest = bytes().subspan(copied_);
    const std::size_t count = std::min(rest.size(), to.size());
    std::copy_n(rest.begin(), count, to.begin());
    copied_ += count;
    return count;
  }
  [[nodiscard]] const StreamPlace& place() const override { return place_; }

 private:
  [[nodiscard]] std::span<const char> bytes() const {
    return current_ ? current_->bytes() : std::span<const char>();
  }

  // Starts a thread for the next chunk, if there is one.
  void start(std::unique_ptr<DeflateChunk> spare) {
    if (started_ * parts_.part >= parts_.size) return;
    try {
      coming_.push_back(
          std::async(std::launch::async, [this, k = started_, spare = std::move(spare)]() mutable {
            name_thread("inflate");
            try {
              return parts_.inflate(k, std::move(spare));
            } catch (const std::bad_alloc&) {
              return std::optional<Chunk>();  // one thread needs less
            }
          }));
      ++started_;
    } catch (const std::system_error&) {
      started_ = parts_.size;  // no thread: no more chunks
    }
  }

  // Takes the next chunk. Returns false if there is none, or any doubt.
  bool take() {
    if (coming_.empty()) return false;
    std::future<std::optional<Chunk>> first = std::move(coming_.front());
    coming_.pop_front();
    std::optional<Chunk> next = first.get();
    if (!next || next->begin != place_.bit || !next->data->put_window(place_.window)) {
      coming_.clear();  // waits for the threads
      return false;
    }
    std::swap(current_, next->data);
    copied_ = 0;
    place_.bit = next->end;
    place_.last = next->last;
    place_.window = last_window(place_.window, bytes());
    place_.crc = static_cast<std::uint32_t>(
        crc32_combine(place_.crc, current_->crc(), static_cast<z_off_t>(bytes().size())));
    place_.size += bytes().size();
    start(std::move(next->data));
    return true;
  }

  const Parts parts_;
  StreamPlace place_;  // the end of the current chunk
  std::unique_ptr<DeflateChunk> current_;
  std::size_t copied_ = 0;                                // bytes of it
  std::size_t started_ = 0;                               // chunks
  std::deque<std::future<std::optional<Chunk>>> coming_;  // last, so that the threads end first
};

}  // namespace

std::unique_ptr<InflateAhead> inflate_ahead(const ReadAt& read_at, std::size_t size,
                                            const InflateThreads& threads) {
  if (threads.count <= 1 || size <= 2 * threads.part) return nullptr;
  const std::size_t stream = gzip_header_size(read_bytes(read_at, 0, threads.part));
  if (stream == 0) return nullptr;
  return std::make_unique<Threads>(Parts{read_at, size, threads.part, stream},
                                   std::min(threads.count, max_threads));
}

}  // namespace spex
