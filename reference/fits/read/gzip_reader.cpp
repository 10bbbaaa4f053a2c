#include "reference/fits/read/gzip_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace spex {
namespace {

constexpr std::size_t piece = std::size_t{1} << 20;  // fits in the cache

}  // namespace

GzipReader::GzipReader(ReadAt read_at, std::size_t size, std::string path, std::size_t most,
                       const InflateThreads& threads)
    : read_at_(std::move(read_at)),
      size_(size),
      path_(std::move(path)),
      most_(most),
      buffer_(std::min(size, piece)),
      ahead_(inflate_ahead(read_at_, size, threads)) {}

std::span<const char> GzipReader::window(std::size_t least) {
  if (end_ - begin_ < least && at_ < size_) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    const auto wanted = static_cast<long long>(std::min(buffer_.size() - end_, size_ - at_));
    const long long count = read_at_(static_cast<long long>(at_), buffer_.data() + end_, wanted);
    end_ += static_cast<std::size_t>(count);
    // A file that became shorter ends here.
    at_ = count < wanted ? size_ : at_ + static_cast<std::size_t>(count);
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

Error GzipReader::damaged(const std::string& why) const {
  return data_error(path_, "cannot be decompressed: " + why, "a whole gzip file");
}

std::size_t GzipReader::read(std::span<char> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    if (ahead_ == nullptr && !within_stream_) {
      if (!is_gzip(window(2))) break;
      inflater_.reset();
      within_stream_ = true;
    }
    const std::span<char> rest = to.subspan(done);
    const std::size_t made = ahead_ == nullptr ? inflate(rest) : ahead_->read(rest);
    if (ahead_ != nullptr && made == 0) go_on_alone();
    done += made;
    made_ += made;
    if (made_ > most_) throw damaged(fmt::format("more than {} bytes", most_));
  }
  return done;
}

std::size_t GzipReader::inflate(std::span<char> to) {
  const Inflater::Step step = inflater_.step(window(1), to);
  if (!step.wrong.empty()) throw damaged(step.wrong);
  begin_ += step.read;
  if (step.ended)
    within_stream_ = false;
  else if (step.read == 0 && step.made == 0)
    throw damaged(window(1).empty() ? "it ends early" : "a damaged stream");
  return step.made;
}

void GzipReader::go_on_alone() {
  const StreamPlace& place = ahead_->place();
  inflater_.resume(place);
  within_stream_ = true;
  at_ = (place.bit + 7) / 8;
  ahead_.reset();
}

std::size_t GzipReader::skip_rest() {
  Bytes ignored(piece);
  std::size_t size = 0;
  for (std::size_t count = piece; count == piece; size += count) count = read(ignored);
  return size;
}

std::size_t GzipReader::expected_size() const {
  constexpr std::size_t usual_ratio = 16;  // of images, with a margin
  constexpr std::size_t shortest = 18;     // a stream's header and trailer
  // The last four bytes are the length of the last stream modulo 2^32.
  std::array<char, 4> last{};
  constexpr auto count = static_cast<long long>(last.size());
  if (size_ < shortest ||
      read_at_(static_cast<long long>(size_) - count, last.data(), count) != count)
    return 0;
  std::size_t length = 0;
  for (std::size_t k = 0; k < last.size(); ++k)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(last[k])) << (8 * k);
  return std::min(length, usual_ratio * size_);
}

}  // namespace spex
