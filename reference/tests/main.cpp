// The main function of tests that need neither MPI nor a GPU.

#include <gtest/gtest.h>

#include "reference/core/exit_status.hpp"
#include "reference/tests/support/tests_of_sources.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!spex::test::keep_tests_of_sources(argc, argv)) return spex::status::usage;
  return RUN_ALL_TESTS();
}
