// A counting semaphore.
#pragma once

#include <condition_variable>
#include <mutex>

namespace spex {

/// Replaces std::counting_semaphore: in libstdc++ a waiting thread may miss a wakeup if several
/// threads wait (GCC bugs 98033 and 104928). Thread-safe.
class Tokens {
 public:
  /// Starts with `count` tokens.
  explicit Tokens(int count) : count_(count) {}

  /// Takes a token; waits until one is available.
  void acquire() {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [&] { return count_ > 0; });
    --count_;
  }
  /// Returns `count` tokens.
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

/// Holds a token for a scope.
class HeldToken {
 public:
  /// Waits for a token. nullptr: holds none.
  explicit HeldToken(Tokens* from) : from_(from) {
    if (from_ != nullptr) from_->acquire();
  }
  HeldToken(const HeldToken&) = delete;
  HeldToken& operator=(const HeldToken&) = delete;
  ~HeldToken() {
    if (from_ != nullptr) from_->release();
  }

 private:
  Tokens* from_;
};

}  // namespace spex
