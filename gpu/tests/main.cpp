// The main function of GPU tests. Without a GPU it exits with 77, which CTest counts as skipped. A
// GPU with a broken driver fails.

#include <cstdio>

#include <gtest/gtest.h>

#include "gpu/core/context.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/tests/support/tests_of_sources.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!spex::test::keep_tests_of_sources(argc, argv)) return spex::status::usage;
  if (spex::gpu::device_count() == 0) {
    std::puts("skipped: there is no GPU here");
    return spex::status::skipped;
  }
  return RUN_ALL_TESTS();
}
