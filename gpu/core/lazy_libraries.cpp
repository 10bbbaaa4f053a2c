#include "gpu/core/lazy_libraries.hpp"

#include <string>

#include <fmt/format.h>

#include "gpu/core/load_library.hpp"

namespace spex::gpu {
namespace {

// A library of the CUDA that this program was built with. It stays loaded.
class Library {
 public:
  Library(const std::string& stem, int version)
      : name_(fmt::format("lib{}.so.{}", stem, version)),
        handle_(load_library(name_, python_folder(stem))) {}
  [[nodiscard]] void* function(const char* name) const {
    return find_function(handle_, name, name_);
  }

 private:
  std::string name_;
  void* handle_;
};

}  // namespace

void* cublas_function(const char* name) {
  static const Library library("cublas", CUBLAS_VER_MAJOR);
  return library.function(name);
}

void* cusolver_function(const char* name) {
  static const Library library("cusolver", CUSOLVER_VER_MAJOR);
  return library.function(name);
}

}  // namespace spex::gpu
