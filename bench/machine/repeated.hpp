// Calls a function periodically in another thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace spex::bench {

/// Calls `function` every `interval` from construction to destruction, which waits for the call in
/// progress. The first call comes after the first interval.
class Repeated {
 public:
  Repeated(std::chrono::milliseconds interval, std::function<void()> function)
      : thread_([interval, function = std::move(function)](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any wake;
          std::unique_lock lock(mutex);
          while (wake.wait_for(lock, stop, interval, [] { return false; }), !stop.stop_requested())
            function();
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace spex::bench
