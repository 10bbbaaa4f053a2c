#include "gpu/core/lazy_libraries.hpp"

#include <string>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex::gpu {
namespace {

// A library of the CUDA toolkit that this program was built with. It stays loaded.
class Library {
 public:
  explicit Library(std::string name)
      : name_(std::move(name)), handle_(dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) fail();
  }
  [[nodiscard]] void* function(const char* name) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr) fail();
    return found;
  }

 private:
  [[noreturn]] void fail() const {
    const char* const why = dlerror();
    throw Error(ErrorKind::internal, name_,
                fmt::format("cannot be loaded: {}", why == nullptr ? "unknown" : why),
                "the library of the CUDA toolkit beside libcudart, or in LD_LIBRARY_PATH");
  }

  std::string name_;
  void* handle_;
};

}  // namespace

void* cublas_function(const char* name) {
  static const Library library(fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR));
  return library.function(name);
}

void* cusolver_function(const char* name) {
  static const Library library(fmt::format("libcusolver.so.{}", CUSOLVER_VER_MAJOR));
  return library.function(name);
}

}  // namespace spex::gpu
