#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "reference/cli/program.hpp"
#include "reference/core/lapack.hpp"

namespace spex {
namespace {

// A sanitizer needs more address space than any limit.
#if defined(__SANITIZE_ADDRESS__) || defined(SPEX_BLAS_MKL) || defined(SPEX_BLAS_OTHER)

TEST(Exit, DoesNotWaitForThreadsOfBlas) {
  GTEST_SKIP() << "the build has a sanitizer, or no OpenBLAS";
}

#else

TEST(Exit, DoesNotWaitForThreadsOfBlas) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    const rlimit space{rlim_t{600} << 20, rlim_t{600} << 20};
    setrlimit(RLIMIT_AS, &space);
    openblas_set_num_threads(16);  // more than find memory
    set_up_program("test");
    std::exit(3);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

#endif

}  // namespace
}  // namespace spex
