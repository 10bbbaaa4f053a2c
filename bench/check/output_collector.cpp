#include "bench/check/output_collector.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "bench/result/file_hash.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds look_every{20};

}  // namespace

OutputCollector::OutputCollector(std::vector<AwaitedFrame> frames, std::string kept, int threads)
    : frames_(std::move(frames)), kept_(std::move(kept)) {
  folder_ = fs::path(frames_.at(0).path).parent_path();
  result_.written.assign(frames_.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < frames_.size(); ++i)
    awaited_.emplace(fs::path(frames_[i].path).filename(), static_cast<int>(i));
  for (int i = 0; i < threads; ++i) takers_.emplace_back([this] { take_all(); });
  finder_ = std::thread([this] { find(); });
}

OutputCollector::~OutputCollector() {
  end();
}

void OutputCollector::end() {
  ended_ = true;
  if (finder_.joinable()) finder_.join();
  for (std::thread& taker : takers_)
    if (taker.joinable()) taker.join();
}

CollectedFrames OutputCollector::finish() {
  end();
  const auto missing =
      std::find_if(result_.written.begin(), result_.written.end(), [](double s) { return s != s; });
  if (missing != result_.written.end() && result_.failure.empty())
    fail(static_cast<int>(missing - result_.written.begin()), "is missing");
  return std::move(result_);
}

// The folder is short, as frames are taken out of it: to list it costs little, and no event can be
// lost.
void OutputCollector::find() {
  while (!ended_) {
    find_new();
    std::this_thread::sleep_for(look_every);
  }
  find_new();
  found_.close();
}

void OutputCollector::find_new() {
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    const auto found = awaited_.find(it->path().filename());
    if (found == awaited_.end()) continue;
    found_.push(found->second);
    awaited_.erase(found);
    const long waiting = ++seen_ - done_;
    const std::lock_guard lock(mutex_);
    result_.most_waiting = std::max(result_.most_waiting, static_cast<int>(waiting));
  }
}

void OutputCollector::take_all() {
  while (const std::optional<int> frame = found_.pop()) {
    try {
      take(*frame);
    } catch (const std::exception& error) {
      fail(*frame, error.what());
    }
    ++done_;
  }
}

void OutputCollector::take(int frame) {
  const AwaitedFrame& one = frames_[frame];
  if (const std::string wrong = why_no_output(one.path, folder_); !wrong.empty())
    return fail(frame, wrong);
  const std::optional<double> written = last_change(one.path);
  const std::optional<std::string> hash = hash_file(one.path);
  if (!written || !hash) return fail(frame, "cannot be read");
  if (last_change(one.path) != written) return fail(frame, "was changed when it was there");
  std::string expected;
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    result_.written[frame] = *written;
    const auto [first, added] = hashes_.emplace(one.input, *hash);
    expected = first->second;
    is_first = added;
  }
  if (expected != *hash) return fail(frame, "has other bytes than the first of the same input");
  if (!is_first) {
    fs::remove(one.path);
    return;
  }
  const std::string path = fs::path(kept_) / fs::path(one.path).filename();
  fs::rename(one.path, path);
  const std::lock_guard lock(mutex_);
  result_.kept[one.input] = {path, *hash};
}

void OutputCollector::fail(int frame, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (result_.failure.empty())
    result_.failure = fmt::format("frame {} of the run ({}): {}", frame + 1,
                                  fs::path(frames_[frame].path).filename().string(), what);
}

}  // namespace spex::bench
