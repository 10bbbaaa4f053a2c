#include <csignal>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "mpi/comm/check.hpp"
#include "mpi/run/watchdog.hpp"

namespace spex::mpi {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class WatchdogOfRanks : public testing::Test {
 protected:
  [[nodiscard]] Watchdog::GiveUp note() {
    return [this](const std::string& what) {
      const std::scoped_lock lock(mutex_);
      said_.push_back(what);
    };
  }
  [[nodiscard]] std::vector<std::string> said() const {
    const std::scoped_lock lock(mutex_);
    return said_;
  }
  [[nodiscard]] static std::string camera_of(int frame) { return "b" + std::to_string(frame); }
  // All ranks have reached this point.
  void meet() const { SPEX_MPI_CHECK(MPI_Barrier(world.get())); }

  const Communicator world = Communicator::world();
  static constexpr auto limit = 600ms;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> said_;
};

TEST_F(WatchdogOfRanks, AStalledPhaseIsReportedByItsOwnRank) {
  {
    Watchdog watchdog(world, limit, camera_of, note());
    const Watchdog::Scope read(watchdog, Phase::read, 4);
    const Watchdog::Scope write(watchdog, Phase::write, 7);
    std::this_thread::sleep_for(2 * limit);
    meet();
  }
  EXPECT_THAT(said(), ElementsAre("rank " + std::to_string(world.rank()) +
                                  " has made no progress for 0.6 s, in read of frame b4, "
                                  "write of frame b7"));
}

TEST_F(WatchdogOfRanks, WorkThatAdvancesIsNotLimited) {
  {
    Watchdog watchdog(world, limit, camera_of, note());
    const Watchdog::Scope extract(watchdog, Phase::extract, 0);
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(limit / 4);
      watchdog.advance();
    }
    meet();
  }
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(WatchdogOfRanks, WaitingForOtherRanksIsNotAStall) {
  {
    Watchdog watchdog(world, limit, camera_of, note());
    { const Watchdog::Scope read(watchdog, Phase::read, 0); }
    const Watchdog::Scope gather(watchdog, Phase::gather, 0);
    std::this_thread::sleep_for(2 * limit);
    meet();
  }
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(WatchdogOfRanks, WithoutALimitNothingIsWatched) {
  {
    Watchdog watchdog(world, 0s, camera_of, note());
    const Watchdog::Scope read(watchdog, Phase::read, 0);
    watchdog.advance();
    std::this_thread::sleep_for(limit);
  }
  EXPECT_THAT(said(), IsEmpty());
}

// The last rank is stopped for a while, as by a suspended job. The first of the other ranks reports
// it. The stopped rank, which only lost time, does not.
TEST_F(WatchdogOfRanks, AStoppedRankIsReportedByTheFirstOther) {
  const int last = world.size() - 1;
  {
    Watchdog watchdog(world, limit, camera_of, note());
    meet();
    if (world.rank() == last) {
      const Watchdog::Scope extract(watchdog, Phase::extract, 2);
      const pid_t parent = getpid();
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        usleep(1'800'000);
        kill(parent, SIGCONT);
        _exit(0);
      }
      raise(SIGSTOP);
    }
    meet();
  }
  if (world.rank() == 0 && world.size() > 1)
    EXPECT_THAT(said(), ElementsAre("rank " + std::to_string(last) +
                                    " has not responded for 0.6 s, in extract of frame b2"));
  else
    EXPECT_THAT(said(), IsEmpty());
}

}  // namespace
}  // namespace spex::mpi
