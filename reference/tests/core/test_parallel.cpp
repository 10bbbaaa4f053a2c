#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "reference/core/parallel.hpp"

namespace spex {
namespace {

class ParallelFor : public testing::TestWithParam<int> {};

TEST_P(ParallelFor, CallsEveryIndexOnce) {
  const int threads = GetParam();
  for (const int count : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> calls(count);
    std::atomic<int> strays{0};
    parallel_for(threads, count, [&](int thread, int index) {
      if (thread < 0 || thread >= threads) ++strays;
      ++calls[index];
    });
    EXPECT_EQ(strays, 0);
    for (const auto& n : calls) EXPECT_EQ(n, 1);
  }
}

TEST_P(ParallelFor, ThreadNumbersAreUnique) {
  const int threads = GetParam();
  std::vector<std::atomic<int>> busy(threads);
  std::atomic<int> clashes{0};
  parallel_for(threads, 500, [&](int thread, int) {
    if (busy[thread]++ != 0) ++clashes;
    --busy[thread];
  });
  EXPECT_EQ(clashes, 0);
}

TEST_P(ParallelFor, ExceptionIsRethrownAndStopsTheLoop) {
  const int threads = GetParam();
  constexpr int count = 1'000'000;
  constexpr int bad = 5;
  std::atomic<int> calls{0};
  try {
    parallel_for(threads, count, [&](int, int index) {
      ++calls;
      if (index == bad) throw std::runtime_error("index five");
      // Without the early stop, the other threads would take minutes to finish.
      if (index > bad) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "index five");
  }
  EXPECT_GT(calls, bad);
  EXPECT_LT(calls, count);
}

TEST_P(ParallelFor, OneOfManyExceptionsIsRethrown) {
  EXPECT_THROW(parallel_for(GetParam(), 100, [](int, int index) { throw index; }), int);
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor, testing::Range(1, 9));

TEST(ParallelForAlone, OneThreadRunsInOrderOnTheCaller) {
  const auto caller = std::this_thread::get_id();
  std::vector<int> order;
  parallel_for(1, 4, [&](int, int index) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(index);
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(ParallelForAlone, AtLeastOneThreadIsUsed) {
  int calls = 0;
  parallel_for(0, 3, [&](int thread, int) {
    EXPECT_EQ(thread, 0);
    ++calls;
  });
  parallel_for(-4, 3, [&](int, int) { ++calls; });
  EXPECT_EQ(calls, 6);
}

TEST(ParallelForAlone, ThreadsUsedBoundsThreadNumbers) {
  EXPECT_EQ(threads_used(0, 3), 1);
  EXPECT_EQ(threads_used(-4, 3), 1);
  EXPECT_EQ(threads_used(2, 3), 2);
  EXPECT_EQ(threads_used(8, 3), 3);
  EXPECT_EQ(threads_used(8, 0), 1);
}

TEST(ParallelForAlone, DefaultThreadsArePositive) {
  EXPECT_GE(default_threads(), 1);
}

}  // namespace
}  // namespace spex
