#include <gtest/gtest.h>

#include "gpu/extract/batch/limits.hpp"

namespace spex::gpu {
namespace {

// Shared memory per block: 227 KB on Hopper, 163 KB on A100, 99 KB on workstation GPUs.
constexpr std::size_t hopper = 227 << 10, a100 = smallest_shared_memory, workstation = 99 << 10;

TEST(Limits, LargestBlocksFitClusterGpus) {
  EXPECT_LE(root_bytes(largest_root, largest_root_band), a100);
  EXPECT_LE(factor_bytes(largest_root_band), a100);
  EXPECT_GT(root_bytes(largest_root, largest_root_band), workstation);
}

// Seven padded fibers, spots of 17 x 13 pixels, 74 bins in blocks of 56 rows.
TEST(Limits, ProductionFitsClusterGpus) {
  EXPECT_LE(assemble_bytes(7, 17, 13), workstation);
  EXPECT_LE(factor_bytes(56), workstation);
  EXPECT_LE(root_bytes(74, 56), a100);
  EXPECT_GT(root_bytes(74, 56), workstation);
  EXPECT_LE(root_bytes(48, 40), workstation);
}

// Row lengths of R for spots of 11 rows and of 129 rows.
TEST(Limits, FiberRootsTakeShortRows) {
  EXPECT_LE(fiber_roots::bytes(largest_fiber_bins, 5), workstation);
  EXPECT_GT(fiber_roots::bytes(largest_fiber_bins, 16), workstation);
  EXPECT_LE(fiber_roots::bytes(largest_fiber_bins, 16), a100);
  EXPECT_GT(fiber_roots::bytes(74, 64), hopper);
}

TEST(Limits, LargeSpotsDoNotFit) {
  EXPECT_GT(assemble_bytes(7, 129, 129), hopper);
}

TEST(Limits, BlocksArePaddedToTiles) {
  EXPECT_EQ(padded_root(1), 32);
  EXPECT_EQ(padded_root(32), 32);
  EXPECT_EQ(padded_root(33), 48);
  EXPECT_EQ(padded_root(74), 80);
  EXPECT_EQ(padded_root(largest_root), largest_root);
}

}  // namespace
}  // namespace spex::gpu
