// A function that another thread calls again and again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace spex::bench {

/// Calls `look` every so often from its construction to its destruction, which waits for the call
/// under way. The first call comes after the first wait.
class Repeated {
 public:
  Repeated(std::chrono::milliseconds every, std::function<void()> look)
      : thread_([every, look = std::move(look)](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any wake;
          std::unique_lock lock(mutex);
          while (wake.wait_for(lock, stop, every, [] { return false; }), !stop.stop_requested())
            look();
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace spex::bench
