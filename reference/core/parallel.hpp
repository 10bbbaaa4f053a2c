// Threads over independent pieces of work.
#pragma once

#include <functional>

namespace spex {

/// Number of threads that a program uses where none is asked for: the CPUs it may run on.
[[nodiscard]] int default_threads();

/// Threads that parallel_for takes of `threads` for `count` pieces: 1 or more, and no idle ones.
[[nodiscard]] int threads_used(int threads, int count);

/// Calls work(thread, index) for every index in [0, count), on `threads` threads (the caller's own
/// is one of them); `thread` is in [0, threads_used(threads, count)). Indices are handed out in
/// order. The first exception ends the hand-out and is thrown again once all threads have ended.
void parallel_for(int threads, int count, const std::function<void(int thread, int index)>& work);

}  // namespace spex
