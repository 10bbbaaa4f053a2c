#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "reference/core/tokens.hpp"

namespace spex {
namespace {

// A lost wakeup would leave a thread waiting and hang the test.
TEST(Tokens, LimitsHoldersAndLosesNoWakeup) {
  constexpr int count = 3, takers = 8, rounds = 20000;
  Tokens tokens(count);
  std::atomic<int> held = 0, most = 0, given_back = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < takers; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        tokens.acquire();
        const int now = ++held;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
        --held;
        tokens.release();
        ++given_back;
      }
    });
  threads.clear();  // joins
  EXPECT_LE(most, count);
  EXPECT_EQ(given_back, takers * rounds);
}

TEST(Tokens, ReleaseWakesAsManyThreadsAsTokens) {
  constexpr int waiting = 4;
  Tokens tokens(0);
  std::atomic<int> acquired = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < waiting; ++t)
    threads.emplace_back([&] {
      tokens.acquire();
      ++acquired;
    });
  EXPECT_EQ(acquired, 0);
  tokens.release(waiting);
  threads.clear();  // joins
  EXPECT_EQ(acquired, waiting);
}

TEST(Tokens, AreHeldForAScope) {
  Tokens tokens(1);
  const HeldToken of_nothing(nullptr);
  for (int i = 0; i < 2; ++i) const HeldToken held(&tokens);
  std::atomic<bool> acquired = false;
  std::jthread other;
  {
    const HeldToken held(&tokens);
    other = std::jthread([&] {
      const HeldToken next(&tokens);
      acquired = true;
    });
    EXPECT_FALSE(acquired);
  }
  other.join();
  EXPECT_TRUE(acquired);
}

}  // namespace
}  // namespace spex
