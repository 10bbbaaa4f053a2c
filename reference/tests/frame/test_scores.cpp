// SCORES computed by several threads.
#include <cmath>

#include <gtest/gtest.h>

#include "reference/frame/scores.hpp"

namespace spex {
namespace {

TEST(Scores, DoNotDependOnThreads) {
  Frame frame;
  frame.nspec = 30;
  frame.nwave = 2751;
  frame.dw = 0.8;
  for (int w = 0; w < frame.nwave; ++w) frame.wave.push_back(3600 + frame.dw * w);
  for (std::size_t i = 0; i < frame.nbins(); ++i) {
    frame.flux.push_back(std::sin(0.7 * static_cast<double>(i)));
    frame.ivar.push_back(1 + std::cos(0.3 * static_cast<double>(i)));
  }
  const Scores alone = compute_scores(frame, "b0", 1);
  const Scores together = compute_scores(frame, "b0", 3);
  EXPECT_NE(alone.median_raw_snr[0], alone.median_raw_snr[29]);
  EXPECT_EQ(alone.sum_raw_count, together.sum_raw_count);
  EXPECT_EQ(alone.median_raw_count, together.median_raw_count);
  EXPECT_EQ(alone.median_raw_snr, together.median_raw_snr);
}

}  // namespace
}  // namespace spex
