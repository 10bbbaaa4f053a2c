// Tokens that threads take and give back, which bound how much of something there is at a time.
#pragma once

#include <condition_variable>
#include <mutex>

namespace spex {

/// What std::counting_semaphore is for, of which libstdc++'s may lose wakeups where several threads
/// wait (GCC bugs 98033 and 104928): one then sleeps on while tokens are there. From any thread.
class Tokens {
 public:
  /// So many there are.
  explicit Tokens(int count) : count_(count) {}

  /// Takes one; waits while there is none.
  void acquire() {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [&] { return count_ > 0; });
    --count_;
  }
  /// Gives some back.
  void release(int count = 1) {
    {
      const std::lock_guard lock(mutex_);
      count_ += count;
    }
    given_back_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  int count_;
};

}  // namespace spex
