// C++ work without the interpreter's lock (GIL), and the end of Python meanwhile.
//
// A thread that asks for the lock while the interpreter ends is killed within C++ frames, which
// aborts the process. So Python's exit waits until no thread is in such work (wait_for_work).
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include <nanobind/nanobind.h>

namespace spex::python {

/// Why some work ended early: Python ends, or somebody asked for it.
class Stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override;
};

/// Releases the lock for its lifetime. Throws Stopped if Python ends, but not in the thread that
/// ends it, whose exit hooks may still work.
class WithoutGil {
 public:
  WithoutGil();
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// Asks work to stop. Copies share one flag; any thread may use them.
class StopFlag {
 public:
  void set() const { *flag_ = true; }  ///< asks for it
  /// Throws Stopped if asked, or if Python ends and `caller`, which waits for the work, does not
  /// end it.
  void check(std::thread::id caller) const;

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

/// Binds Stop, wait_for_work (the exit hook) and forget_work (for the child of a fork).
void bind_stop(nanobind::module_& module);

}  // namespace spex::python
