// Thread names, as top -H and debuggers show them.
#pragma once

#include <pthread.h>

namespace spex {

/// Names the calling thread and the threads that it starts later. Linux keeps at most 15
/// characters.
inline void name_thread(const char* name) noexcept {
  pthread_setname_np(pthread_self(), name);
}

}  // namespace spex
