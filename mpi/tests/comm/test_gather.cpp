// Gathering of patch results on rank 0.

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/comm/gather.hpp"
#include "reference/tests/support/fields.hpp"

namespace spex::mpi {
namespace {

// A result in which every number identifies the patch.
PatchResult result_of(int patch) {
  PatchResult result;
  result.status = static_cast<PatchStatus>(patch % 3);
  result.nspec = 2;
  result.nwave = 1 + patch % 4;  // messages of different lengths
  result.ndiagonals = 3;
  const std::size_t nbins = result.nspec * result.nwave;
  result.flux.assign(nbins, patch + 0.1);
  result.ivar.assign(nbins, patch + 0.2);
  result.chi2pix.assign(nbins, patch + 0.3);
  result.pixmask_fraction.assign(nbins, patch + 0.4);
  result.resolution.assign(3 * nbins, patch + 0.5);
  if (patch % 2 == 1) {
    result.x0 = patch, result.x1 = patch + 2, result.y0 = 10 * patch, result.y1 = 10 * patch + 1;
    result.model.assign(2, patch + 0.6);
  }
  return result;
}

class Gather : public testing::Test {
 protected:
  // Rank 0 must hold the results of all patches in order, for any assignment to ranks.
  void expect_gathered(const std::vector<int>& rank_of) {
    std::vector<PatchResult> mine;
    for (std::size_t p = 0; p < rank_of.size(); ++p)
      if (rank_of[p] == world.rank()) mine.push_back(result_of(static_cast<int>(p)));
    const std::vector<PatchResult> all = gather_results(world, rank_of, std::move(mine));
    if (!world.is_root()) {
      EXPECT_TRUE(all.empty());
      return;
    }
    ASSERT_EQ(all.size(), rank_of.size());
    for (std::size_t p = 0; p < all.size(); ++p)
      test::expect_equal(all[p], result_of(static_cast<int>(p)));
  }

  const Communicator world = Communicator::world();
};

TEST_F(Gather, BlocksInRankOrder) {
  std::vector<int> rank_of;
  for (int p = 0; p < 11; ++p) rank_of.push_back(p * world.size() / 11);
  expect_gathered(rank_of);
}

TEST_F(Gather, RanksThatTakeTurns) {
  std::vector<int> rank_of;
  for (int p = 0; p < 11; ++p) rank_of.push_back((p * 7) % world.size());
  expect_gathered(rank_of);
}

TEST_F(Gather, AllFromTheLastRank) {
  expect_gathered(std::vector<int>(4, world.size() - 1));
}

TEST_F(Gather, NoPatches) {
  expect_gathered({});
}

TEST_F(Gather, TimesAddUp) {
  StageTimes mine;
  mine.add(Stage::solve, world.rank() + 1.0);
  mine.add(Stage::write, 0.5);
  const StageTimes total = gather_times(world, mine);
  const int n = world.size();
  EXPECT_EQ(total.get(Stage::solve), world.is_root() ? n * (n + 1) / 2.0 : world.rank() + 1.0);
  EXPECT_EQ(total.get(Stage::write), world.is_root() ? 0.5 * n : 0.5);
  EXPECT_EQ(total.get(Stage::read), 0);
}

}  // namespace
}  // namespace spex::mpi
