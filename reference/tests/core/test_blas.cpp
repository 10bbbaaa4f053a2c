#include <filesystem>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "reference/core/blas.hpp"
#include "reference/core/lapack.hpp"

namespace spex {
namespace {

#if defined(SPEX_BLAS_MKL) || defined(SPEX_BLAS_OTHER)

TEST(Blas, EndsTheThreadsOfOpenBlas) {
  GTEST_SKIP() << "the build has no OpenBLAS";
}

#else

long threads_of_process() {
  namespace fs = std::filesystem;
  return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
}

TEST(Blas, EndsTheThreadsOfOpenBlas) {
  openblas_set_num_threads(4);
  if (openblas_get_num_threads() == 1) GTEST_SKIP() << "OpenBLAS has no threads";
  ASSERT_EQ(threads_of_process(), 4);
  use_single_threaded_blas();
  end_blas_threads();
  EXPECT_EQ(threads_of_process(), 1);

  // The library can still be used, and stays in this thread.
  constexpr int n = 200;
  const std::vector<double> ones(n * n, 1.0);
  std::vector<double> product(n * n);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, ones.data(), n, ones.data(),
              n, 0.0, product.data(), n);
  EXPECT_EQ(product, std::vector<double>(n * n, n));
  EXPECT_EQ(threads_of_process(), 1);
}

// A sanitizer needs more address space than any limit.
#if !defined(__SANITIZE_ADDRESS__)
TEST(Blas, DoesNotWaitForThreadsThatLackAddressSpace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end_them = [] {
    const rlimit space{rlim_t{600} << 20, rlim_t{600} << 20};
    setrlimit(RLIMIT_AS, &space);
    openblas_set_num_threads(16);
    end_blas_threads();
    _exit(blas_threads_may_never_end() ? 0 : 1);  // at exit the library would wait for them
  };
  EXPECT_EXIT(end_them(), testing::ExitedWithCode(0), "");
}
#endif

#endif

}  // namespace
}  // namespace spex
