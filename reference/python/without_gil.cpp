#include "reference/python/without_gil.hpp"

#include <chrono>
#include <thread>

namespace nb = nanobind;

namespace spex::python {
namespace {

// The work of all threads of this process, as the interpreter itself is one for a process.
struct Work {
  std::atomic<int> threads{0};              // that work without the lock
  std::atomic<std::thread::id> ended_by{};  // the thread that ends Python; none before the end

  [[nodiscard]] bool ends_for(std::thread::id thread) const {
    const std::thread::id by = ended_by;
    return by != std::thread::id() && by != thread;
  }
};

Work& work() {
  static Work of_process;
  return of_process;
}

// Called when Python ends, with the lock. New work is refused, and work in progress stops at its
// next check. A thread counts as working until it has the lock again.
void wait_for_work() {
  work().ended_by = std::this_thread::get_id();
  PyThreadState* const state = PyEval_SaveThread();
  while (work().threads > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(state);
}

}  // namespace

const char* Stopped::what() const noexcept {
  return "extraction: was stopped (expected an Extractor, or Python, that does not end meanwhile)";
}

WithoutGil::WithoutGil() {
  if (work().ends_for(std::this_thread::get_id())) throw Stopped();
  ++work().threads;
  state_ = PyEval_SaveThread();
}

WithoutGil::~WithoutGil() {
  PyEval_RestoreThread(state_);
  --work().threads;
}

void StopFlag::check(std::thread::id caller) const {
  if (*flag_ || work().ends_for(caller)) throw Stopped();
}

void bind_stop(nb::module_& module) {
  // Threads that Python's end stops still hold objects, which are no leaks.
  nb::set_leak_warnings(false);
  nb::class_<StopFlag>(module, "Stop", "Asks extractions to stop.")
      .def(nb::init<>())
      .def("set", &StopFlag::set, "Patches in progress are the last.");
  module.def("wait_for_work", &wait_for_work,
             "Stops the work of other threads, and waits for its end.");
  module.def(
      "forget_work", [] { work().threads = 0; },
      "In the child of a fork, which has no other threads.");
}

}  // namespace spex::python
