#include "reference/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>

namespace spex {

int default_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

int threads_used(int threads, int count) {
  return std::clamp(threads, 1, std::max(1, count));
}

void parallel_for(int threads, int count, const std::function<void(int, int)>& work) {
  threads = threads_used(threads, count);
  std::atomic<int> next{0};
  std::mutex mutex;
  std::exception_ptr failure;

  auto run = [&](int thread) {
    try {
      for (int i = next++; i < count; i = next++) work(thread, i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };

  std::vector<std::jthread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(run, t);
  run(0);
  others.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace spex
