// Collective steps: the failure of one rank ends the step on all ranks, and the error names the
// rank.

#include <new>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/comm/collective.hpp"
#include "reference/core/error.hpp"

namespace spex::mpi {
namespace {

class Collective : public testing::Test {
 protected:
  // The exception of collective() on this rank.
  template <class Step>
  Error caught(const Step& step) {
    try {
      collective(world, step);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "rank " << world.rank() << " saw no error";
    return {ErrorKind::internal, "", "none"};
  }
  int last() const { return world.size() - 1; }
  std::string named(int rank, const std::string& text) const {
    return rank == 0 ? text : "rank " + std::to_string(rank) + ": " + text;
  }

  const Communicator world = Communicator::world();
};

TEST_F(Collective, RunsOnEveryRank) {
  int calls = 0;
  collective(world, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST_F(Collective, ErrorOfEachRankReachesAllAndNamesIt) {
  for (int failing = 0; failing < world.size(); ++failing) {
    const Error error = caught([&] {
      if (world.rank() == failing) throw data_error("image.fits", "is empty", "an image");
    });
    EXPECT_EQ(error.what(), named(failing, "image.fits: is empty (expected an image)"));
    EXPECT_EQ(error.kind(), ErrorKind::data);
  }
}

TEST_F(Collective, LowestFailingRankReports) {
  const Error error = caught([&] {
    if (world.size() == 1 || world.rank() > 0)
      throw usage_error("--nspec", std::to_string(world.rank()));
  });
  const int lowest = world.size() == 1 ? 0 : 1;
  EXPECT_EQ(error.what(), named(lowest, "--nspec: " + std::to_string(lowest)));
  EXPECT_EQ(error.kind(), ErrorKind::usage);
}

TEST_F(Collective, OtherExceptionsArriveAsInternal) {
  const Error logic = caught([&] {
    if (world.rank() == last()) throw std::logic_error("a slip");
  });
  EXPECT_EQ(logic.what(), named(last(), "a slip"));
  EXPECT_EQ(logic.kind(), ErrorKind::internal);

  const Error memory = caught([&] {
    if (world.rank() == last()) throw std::bad_alloc();
  });
  EXPECT_EQ(memory.what(), named(last(), "out of memory"));
}

TEST_F(Collective, StaysUsableAfterAnError) {
  static_cast<void>(caught([] { throw data_error("a", "b"); }));
  EXPECT_NO_THROW(collective(world, [] {}));
}

TEST_F(Collective, OnRootRunsOnlyOnRoot) {
  int calls = 0;
  on_root(world, [&] { ++calls; });
  EXPECT_EQ(calls, world.is_root() ? 1 : 0);
}

TEST_F(Collective, OnRootErrorReachesAllWithoutRank) {
  try {
    on_root(world, [] { throw data_error("psf.fits", "is missing"); });
    FAIL() << "rank " << world.rank() << " saw no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "psf.fits: is missing");
    EXPECT_EQ(error.kind(), ErrorKind::data);
  }
}

}  // namespace
}  // namespace spex::mpi
