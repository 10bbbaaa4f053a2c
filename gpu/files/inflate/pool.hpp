// A fixed number of things that threads take in turn.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace spex::gpu {

/// Places for `count` objects of T, which are made when first needed, and kept. Thread-safe.
template <class T>
class Pool {
 public:
  explicit Pool(int count) : free_(static_cast<std::size_t>(count)) {}

  /// A place that was taken, until the lease ends.
  class Lease {
   public:
    explicit Lease(Pool& pool) : pool_(&pool), object_(pool.take()) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_->give(std::move(object_)); }

    /// The place's object, made now if there is none.
    [[nodiscard]] T& get() {
      if (object_ == nullptr) object_ = std::make_unique<T>();
      return *object_;
    }

   private:
    Pool* pool_;
    std::unique_ptr<T> object_;
  };

 private:
  /// Waits for a place; prefers one with an object.
  std::unique_ptr<T> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !free_.empty(); });
    std::unique_ptr<T> object = std::move(free_.back());
    free_.pop_back();
    return object;
  }
  void give(std::unique_ptr<T> object) noexcept {
    {
      const std::scoped_lock lock(mutex_);
      free_.push_back(std::move(object));  // has room: it held all
    }
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace spex::gpu
