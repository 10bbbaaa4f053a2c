// Assignment of patches to ranks.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/run/assign.hpp"
#include "reference/core/error.hpp"
#include "reference/model/extract_options.hpp"

namespace spex::mpi {
namespace {

using testing::AnyOf;
using Share = std::vector<int>;

// Patches of `nspec` fibers from `specmin` on: bundles of 10 fibers, 5 subbundles, three wavelength
// steps.
std::vector<Patch> patches_of(int nspec, int specmin = 0) {
  ExtractOptions options;
  options.bundlesize = 10;
  options.specmin = specmin;
  options.nspec = nspec;
  options.nwavestep = 4;
  return make_patches(options, WaveGrid{1000, 1, 12}, specmin + nspec);
}

Share patches_of_each(const std::vector<int>& rank_of, int nranks) {
  Share share(static_cast<std::size_t>(nranks), 0);
  for (const int rank : rank_of) ++share.at(rank);
  return share;
}

class Assign : public testing::TestWithParam<std::tuple<int, int, WorkUnit>> {
 protected:
  const int nranks = std::get<0>(GetParam());
  const int nspec = std::get<1>(GetParam());
  const WorkUnit work = std::get<2>(GetParam());
  const std::vector<Patch> patches = patches_of(nspec);
  const std::vector<int> rank_of = assign_patches(patches, nranks, work);

  // Otherwise whole bundles or subbundles are assigned.
  [[nodiscard]] bool deals_patches() const { return work == WorkUnit::patch; }
  [[nodiscard]] int nbundles() const { return nspec / 10; }
};

TEST_P(Assign, EveryPatchHasAValidRank) {
  ASSERT_EQ(rank_of.size(), patches.size());
  for (const int rank : rank_of) {
    EXPECT_GE(rank, 0);
    EXPECT_LT(rank, nranks);
  }
}

TEST_P(Assign, RanksAscendUnlessTheyShareBundles) {
  if (deals_patches()) return;
  EXPECT_TRUE(std::is_sorted(rank_of.begin(), rank_of.end()));
}

TEST_P(Assign, SharesDifferByAtMostOneUnit) {
  // Patches are dealt bundle by bundle.
  const int unit = deals_patches() ? 1 : nranks <= nbundles() ? 15 : 3;
  const Share share = patches_of_each(rank_of, nranks);
  const auto [least, most] = std::minmax_element(share.begin(), share.end());
  EXPECT_LE(*most - *least, deals_patches() ? nbundles() : unit);
  for (const int count : share) EXPECT_EQ(count % unit, 0);
}

TEST_P(Assign, BundlesStayWholeIfThereAreEnough) {
  if (deals_patches() || nranks > nbundles()) return;
  std::map<int, std::set<int>> ranks_of_bundle;
  for (std::size_t p = 0; p < patches.size(); ++p)
    ranks_of_bundle[patches[p].bundle].insert(rank_of[p]);
  for (const auto& [bundle, ranks] : ranks_of_bundle) EXPECT_EQ(ranks.size(), 1U) << bundle;
}

TEST_P(Assign, SubbundlesStayWholeAlways) {
  if (deals_patches()) return;
  std::map<std::pair<int, int>, std::set<int>> ranks_of;
  for (std::size_t p = 0; p < patches.size(); ++p)
    ranks_of[{patches[p].bundle, patches[p].subbundle}].insert(rank_of[p]);
  for (const auto& [subbundle, ranks] : ranks_of) EXPECT_EQ(ranks.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(RanksAndFibers, Assign,
                         testing::Combine(testing::Values(1, 2, 3, 5, 13),
                                          testing::Values(10, 20, 50),
                                          testing::Values(WorkUnit::bundle, WorkUnit::patch)));

TEST(AssignPatches, BundlesByHand) {
  // Two bundles of 5 x 3 patches.
  const std::vector<Patch> patches = patches_of(20);
  EXPECT_EQ(patches_of_each(assign_patches(patches, 1, WorkUnit::bundle), 1), Share{30});
  EXPECT_EQ(patches_of_each(assign_patches(patches, 2, WorkUnit::bundle), 2), (Share{15, 15}));
  // More ranks than bundles: ten subbundles over three ranks.
  EXPECT_EQ(patches_of_each(assign_patches(patches, 3, WorkUnit::bundle), 3), (Share{12, 9, 9}));
  // More ranks than subbundles: the last three have no patches.
  EXPECT_EQ(patches_of_each(assign_patches(patches, 13, WorkUnit::bundle), 13),
            (Share{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0}));
}

TEST(AssignPatches, PartialBundleCountsAsAUnit) {
  // Fibers 8 to 12: the last subbundle of bundle 0 and the first two of bundle 1.
  const std::vector<Patch> patches = patches_of(5, 8);
  EXPECT_EQ(patches_of_each(assign_patches(patches, 2, WorkUnit::bundle), 2), (Share{3, 6}));
}

// Two bundles of 15 patches.
TEST(AssignPatches, RanksOfADeviceShareItsBundles) {
  const std::vector<Patch> patches = patches_of(20);
  // One device: patches 0, 3, ... of each bundle are of rank 0.
  const std::vector<int> rank_of = assign_patches(patches, 3, WorkUnit::patch);
  EXPECT_EQ(patches_of_each(rank_of, 3), (Share{10, 10, 10}));
  for (std::size_t p = 0; p < patches.size(); ++p)
    EXPECT_EQ(rank_of[p], static_cast<int>(p % 15 % 3)) << p;
  // Two devices, a bundle each: ranks 0, 2 and 4, and ranks 1 and 3.
  EXPECT_EQ(patches_of_each(assign_patches(patches, 5, WorkUnit::patch, {}, {0, 1, 0, 1, 0}), 5),
            (Share{5, 8, 5, 7, 5}));
  // Three devices: all ranks share each bundle.
  EXPECT_EQ(patches_of_each(assign_patches(patches, 4, WorkUnit::patch, {}, {0, 1, 2, 0}), 4),
            (Share{8, 8, 8, 6}));
}

// 20 bundles of DESI's on four GPUs of four ranks, which take the GPUs in turn.
TEST(AssignPatches, SixteenRanksOnFourGpusAreBalanced) {
  const std::vector<Patch> patches = patches_of(200);
  std::vector<int> device_of_rank;
  for (int rank = 0; rank < 16; ++rank) device_of_rank.push_back(rank % 4);
  const Share share =
      patches_of_each(assign_patches(patches, 16, WorkUnit::patch, {}, device_of_rank), 16);
  Share of_device(4, 0);
  for (int rank = 0; rank < 16; ++rank) of_device[rank % 4] += share[rank];
  EXPECT_EQ(of_device, Share(4, 75));
  for (const int patches_of_rank : share) EXPECT_THAT(patches_of_rank, AnyOf(20, 15));
}

// 20 bundles of DESI's, two or three for each of eight ranks.
TEST(AssignPatches, EightRanksOnTwoGpusAreBalanced) {
  const std::vector<Patch> patches = patches_of(200);
  const std::vector<int> in_turn{0, 1, 0, 1, 0, 1, 0, 1}, in_blocks{0, 0, 0, 0, 1, 1, 1, 1};
  for (const std::vector<int>& device_of_rank : {in_turn, in_blocks}) {
    const std::vector<int> rank_of =
        assign_patches(patches, 8, WorkUnit::bundle, {}, device_of_rank);
    EXPECT_TRUE(std::is_sorted(rank_of.begin(), rank_of.end()));
    const Share share = patches_of_each(rank_of, 8);
    Share of_device(2, 0);
    for (std::size_t rank = 0; rank < 8; ++rank) of_device[device_of_rank[rank]] += share[rank];
    EXPECT_EQ(of_device, Share(2, 150));
    for (const int patches_of_rank : share) EXPECT_THAT(patches_of_rank, AnyOf(30, 45));
  }
  // Shares of ranks come first: a rank that has a GPU to itself takes 7 bundles, two others 13.
  EXPECT_EQ(patches_of_each(assign_patches(patches, 3, WorkUnit::bundle, {}, {0, 1, 0}), 3),
            (Share{105, 105, 90}));
}

TEST(AssignPatches, NoPatches) {
  EXPECT_TRUE(assign_patches({}, 3, WorkUnit::bundle).empty());
}

// Three patches per subbundle, five subbundles per bundle.
TEST(AssignTeams, ShareABundleBySubbundles) {
  const auto rank_of = assign_patches(patches_of(20), 4, WorkUnit::bundle, 2);
  EXPECT_EQ(patches_of_each(rank_of, 4), (Share{9, 6, 9, 6}));
  const auto one_team = assign_patches(patches_of(20), 3, WorkUnit::bundle, 2);
  EXPECT_EQ(patches_of_each(one_team, 3), (Share{18, 12, 0}));
  EXPECT_EQ(assign_patches(patches_of(20, 10), 4, WorkUnit::bundle, 2), rank_of);
}

TEST(AssignTeams, MoreThanRanksOrSubbundlesAreRejected) {
  EXPECT_THROW(static_cast<void>(assign_patches(patches_of(20), 2, WorkUnit::bundle, 3)), Error);
  EXPECT_THROW(static_cast<void>(assign_patches(patches_of(20), 9, WorkUnit::bundle, 6)), Error);
  EXPECT_THROW(static_cast<void>(assign_patches(patches_of(20), 2, WorkUnit::bundle, 0)), Error);
}

}  // namespace
}  // namespace spex::mpi
