// Parallel loops over independent work items.
#pragma once

#include <functional>

namespace spex {

/// The default number of threads: the CPUs in the process's affinity mask.
[[nodiscard]] int default_threads();

/// The number of threads that parallel_for uses for `count` items: at least 1, at most `count`.
[[nodiscard]] int threads_used(int threads, int count);

/// Calls work(thread, index) for every index in [0, count) on `threads` threads, including the
/// caller's; `thread` is in [0, threads_used(threads, count)). Threads take indices in ascending
/// order. After an exception no more indices are taken; the first exception is rethrown when all
/// threads have ended.
void parallel_for(int threads, int count, const std::function<void(int thread, int index)>& work);

}  // namespace spex
