// What a thread is for, as top -H and debuggers show it.
#pragma once

#include <pthread.h>

namespace spex {

/// Names the calling thread, and those that it will start: at most 15 characters, of which more are
/// not shown.
inline void name_thread(const char* name) noexcept {
  pthread_setname_np(pthread_self(), name);
}

}  // namespace spex
