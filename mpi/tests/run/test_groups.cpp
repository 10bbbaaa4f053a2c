// Groups of ranks.

#include <gtest/gtest.h>

#include "mpi/run/groups.hpp"
#include "reference/core/error.hpp"

namespace spex::mpi {
namespace {

using Ranks = std::vector<int>;

TEST(Groups, DefaultIsOnePerNode) {
  EXPECT_EQ(assign_groups({0, 0, 0}, {}), (Ranks{0, 0, 0}));
  EXPECT_EQ(assign_groups({0, 0, 1, 1}, {}), (Ranks{0, 0, 1, 1}));
  EXPECT_EQ(assign_groups({0, 1, 0, 1}, {}), (Ranks{0, 1, 0, 1}));
}

TEST(Groups, FewerThanNodesTakeWholeNodes) {
  EXPECT_EQ(assign_groups({0, 0, 1, 1, 2, 2, 3, 3}, 2), (Ranks{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(assign_groups({0, 0, 0, 1, 2, 2}, 2), (Ranks{0, 0, 0, 0, 1, 1}));
}

TEST(Groups, MoreThanNodesSplitNodesEvenly) {
  EXPECT_EQ(assign_groups({0, 0, 0, 0, 1, 1, 1, 1}, 4), (Ranks{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(assign_groups({0, 1, 0, 1}, 4), (Ranks{0, 2, 1, 3}));
  EXPECT_EQ(assign_groups({0, 0, 0, 0, 0}, 2), (Ranks{0, 0, 0, 1, 1}));
}

TEST(Groups, OutOfRangeIsAUsageError) {
  EXPECT_THROW(static_cast<void>(assign_groups({0, 0}, 0)), Error);
  EXPECT_THROW(static_cast<void>(assign_groups({0, 0}, 3)), Error);
}

}  // namespace
}  // namespace spex::mpi
