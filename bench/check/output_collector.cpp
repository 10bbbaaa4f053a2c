#include "bench/check/output_collector.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "bench/check/outputs.hpp"
#include "bench/result/file_hash.hpp"
#include "reference/core/parallel.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds poll_interval{20};

}  // namespace

OutputCollector::OutputCollector(std::vector<std::string> frames, std::size_t inputs,
                                 std::string kept, int threads)
    : frames_(std::move(frames)), kept_(std::move(kept)), threads_(threads), hashes_(inputs) {
  folder_ = fs::path(frames_.at(0)).parent_path();
  result_.written.assign(frames_.size(), std::numeric_limits<double>::quiet_NaN());
  result_.kept.resize(inputs);
  for (std::size_t i = 0; i < frames_.size(); ++i)
    awaited_.emplace(fs::path(frames_[i]).filename(), static_cast<int>(i));
  poller_.emplace(poll_interval, [this] { inspect_new(); });
}

CollectedFrames OutputCollector::finish() {
  poller_.reset();
  inspect_new();
  const auto missing = std::find_if(result_.written.begin(), result_.written.end(),
                                    [](double s) { return std::isnan(s); });
  if (missing != result_.written.end() && result_.failure.empty())
    fail(static_cast<int>(missing - result_.written.begin()), "is missing");
  return std::move(result_);
}

void OutputCollector::inspect_new() {
  const std::vector<int> found = find_new();
  const auto count = static_cast<int>(found.size());
  result_.max_waiting = std::max(result_.max_waiting, count);
  parallel_for(threads_, count, [&](int, int i) {
    try {
      inspect_frame(found[i]);
    } catch (const std::exception& error) {
      fail(found[i], error.what());
    }
  });
}

// Listing is cheap because frames are removed from the folder, and unlike inotify it cannot lose
// events.
std::vector<int> OutputCollector::find_new() {
  std::vector<int> frames;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    const auto found = awaited_.find(it->path().filename());
    if (found == awaited_.end()) continue;
    frames.push_back(found->second);
    awaited_.erase(found);
    ++seen_;
  }
  return frames;
}

void OutputCollector::inspect_frame(int frame) {
  const std::string& path = frames_[frame];
  if (const std::string wrong = output_fault(path, folder_); !wrong.empty())
    return fail(frame, wrong);
  const std::optional<double> written = last_change(path);
  const std::optional<std::string> hash = hash_file(path);
  if (!written || !hash) return fail(frame, "cannot be read");
  if (last_change(path) != written) return fail(frame, "was changed after it was complete");
  const std::size_t input = frame % hashes_.size();
  std::unique_lock lock(mutex_);
  result_.written[frame] = *written;
  std::string& first = hashes_[input];
  const bool is_first = first.empty();
  if (is_first) first = *hash;
  const bool same = first == *hash;
  if (is_first) result_.kept[input] = fs::path(kept_) / fs::path(path).filename();
  lock.unlock();
  if (!same) return fail(frame, "has other bytes than the first of the same input");
  if (is_first)
    fs::rename(path, result_.kept[input]);
  else
    fs::remove(path);
}

void OutputCollector::fail(int frame, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (result_.failure.empty())
    result_.failure = fmt::format("frame {} of the run ({}): {}", frame + 1,
                                  fs::path(frames_[frame]).filename().string(), what);
}

}  // namespace spex::bench
