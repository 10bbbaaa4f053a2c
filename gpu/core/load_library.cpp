#include "gpu/core/load_library.hpp"

#include <cublas_api.h>
#include <cuda_runtime_api.h>
#include <cusolver_common.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex::gpu {
namespace {

constexpr int cuda = CUDART_VERSION / 1000;

std::string last_error() {
  const char* const why = dlerror();
  return why == nullptr ? "unknown" : why;
}

[[noreturn]] void fail(const std::string& name, const std::string& why) {
  const std::string packages =
      cuda < 13 ? fmt::format("nvidia-cublas-cu{0} and nvidia-cusolver-cu{0}", cuda)
                : fmt::format("nvidia-cublas {} and nvidia-cusolver {}", CUBLAS_VER_MAJOR,
                              CUSOLVER_VER_MAJOR);
  throw Error(ErrorKind::internal, name, "cannot be loaded: " + why,
              fmt::format("the Python packages {}, or the libraries of CUDA {} in LD_LIBRARY_PATH",
                          packages, cuda));
}

}  // namespace

std::filesystem::path python_folder(const std::string& stem) {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&python_folder), &here) == 0) return {};
  const std::filesystem::path file = here.dli_fname == nullptr ? "" : here.dli_fname;
  // A program has the name that it was called by, and no library is taken from the current folder.
  if (!file.is_absolute()) return {};
  const std::string package = cuda < 13 ? stem : fmt::format("cu{}", cuda);
  return file.parent_path().parent_path() / "nvidia" / package / "lib";
}

void* load_library(const std::string& name, const std::filesystem::path& folder) {
  if (void* const found = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
  std::string why = last_error();
  if (const auto file = folder / name; !folder.empty() && exists(file)) {
    if (void* const found = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
    why = last_error();
  }
  fail(name, why);
}

void* find_function(void* library, const char* function, const std::string& name) {
  void* const found = dlsym(library, function);
  if (found == nullptr) fail(name, last_error());
  return found;
}

}  // namespace spex::gpu
