#include "reference/core/blas.hpp"

#include <array>
#include <sstream>

#include <fmt/format.h>
#include <sys/resource.h>

#include "reference/core/lapack.hpp"

namespace spex {

#if defined(SPEX_BLAS_MKL)

BlasLibrary blas_library() {
  MKLVersion version{};
  mkl_get_version(&version);
  std::array<char, 256> text{};
  mkl_get_version_string(text.data(), static_cast<int>(text.size()));
  std::string configuration = text.data();
  configuration.erase(configuration.find_last_not_of(' ') + 1);
  return {
      "mkl",
      fmt::format("{}.{}.{}", version.MajorVersion, version.MinorVersion, version.UpdateVersion),
      configuration, version.Processor};
}

void use_single_threaded_blas() {
  mkl_set_num_threads(1);
  // Bit-identical results for any alignment of the arrays.
  mkl_cbwr_set(MKL_CBWR_AUTO | MKL_CBWR_STRICT);
}

void end_blas_threads() {}

bool blas_threads_may_never_end() {
  return false;
}

#elif defined(SPEX_BLAS_OTHER)

BlasLibrary blas_library() {
  lapack_int major = 0, minor = 0, patch = 0;
  LAPACKE_ilaver(&major, &minor, &patch);
  const std::string version = fmt::format("{}.{}.{}", major, minor, patch);
  return {"blas", version, "BLAS with LAPACK " + version, ""};
}

void use_single_threaded_blas() {}

void end_blas_threads() {}

bool blas_threads_may_never_end() {
  return false;
}

#else

// Exported by builds with threads, for programs that fork. The name is OpenBLAS's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int blas_thread_shutdown_() __attribute__((weak));

BlasLibrary blas_library() {
  // "OpenBLAS 0.3.21 DYNAMIC_ARCH ..."
  std::istringstream words(openblas_get_config());
  std::string name;
  std::string number;
  words >> name >> number;
  return {"openblas", number, openblas_get_config(), openblas_get_corename()};
}

void use_single_threaded_blas() {
  openblas_set_num_threads(1);
}

void end_blas_threads() {
  if (!blas_threads_may_never_end() && blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
}

bool blas_threads_may_never_end() {
  rlimit space{};
  return getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur != RLIM_INFINITY;
}

#endif

}  // namespace spex
