#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/extract/frame_flux/sweep_progress.hpp"

namespace spex::gpu {
namespace {

// Fibers 0 to 2, and 4 and 5; fiber 3 belongs to no bundle.
const std::vector<BundleOfFiber> places{{0, 3, 0}, {0, 3, 0}, {0, 3, 0}, {}, {4, 6, 1}, {4, 6, 1}};

TEST(ColorFibers, TakesEverySecondFiberOfABundle) {
  const ColoredFibers colored = color_fibers(places);
  EXPECT_EQ(colored.fibers, (std::vector<int>{0, 2, 4, 1, 5}));
  EXPECT_EQ(colored.first_of_second, 3);
}

TEST(SweepProgress, BeginsWithAllBundles) {
  const ColoredRange left = SweepProgress(places, 2).left();
  EXPECT_EQ(left.begin[0], 0);
  EXPECT_EQ(left.end[0], 3);
  EXPECT_EQ(left.begin[1], 3);
  EXPECT_EQ(left.end[1], 5);
  EXPECT_TRUE(SweepProgress({{}, {}}, 0).ended());
}

// A bundle of one fiber has none of the second color.
TEST(SweepProgress, KnowsABundleOfOneFiber) {
  const ColoredRange left = SweepProgress({{}, {1, 2, 0}}, 1).left();
  EXPECT_EQ(left.count(0), 1);
  EXPECT_EQ(left.count(1), 0);
  EXPECT_FALSE(left.empty());
}

TEST(SweepMoves, KeepNotANumber) {
  EXPECT_EQ((SweepMoves{1, 2}.largest()), 2);
  EXPECT_EQ((SweepMoves{2, 1}.largest()), 2);
  EXPECT_TRUE(std::isnan(SweepMoves{NAN, 1}.largest()));
  EXPECT_TRUE(std::isnan(SweepMoves{1, NAN}.largest()));
}

// f of 1000 sigma, of which neighbors share 1e-3.
TEST(EnoughSweeps, ATestEndsByTheMovesOfTheColors) {
  const SweepMoves first{1000, 1000}, second{1, 1e-3};
  EXPECT_TRUE(enough_sweeps(2, first, second, true));
  EXPECT_FALSE(enough_sweeps(2, first, second, false));
  // One sweep tells nothing: the first color did not see its neighbors.
  EXPECT_FALSE(enough_sweeps(1, {HUGE_VAL, HUGE_VAL}, second, true));
  // They share 1e-2: the third sweep would move f by 1e-3.
  EXPECT_FALSE(enough_sweeps(2, first, {10, 0.1}, true));
}

TEST(EnoughSweeps, NotANumberIsNeverEnough) {
  EXPECT_FALSE(enough_sweeps(5, {1e-6, 1e-9}, {NAN, 0}, true));
  EXPECT_FALSE(enough_sweeps(5, {1e-6, 1e-9}, {0, NAN}, true));
}

}  // namespace
}  // namespace spex::gpu
