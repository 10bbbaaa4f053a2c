#include <set>

#include <gtest/gtest.h>

#include "bench/correctness/seeds.hpp"

namespace spex::bench {
namespace {

TEST(Seeds, OfThePlanAreItsNumbers) {
  Seeds seeds(SeedSource::plan);
  EXPECT_EQ(seeds.of("exposure", 7), 7);
  EXPECT_EQ(to_string(seeds.source()), "plan");
}

TEST(Seeds, ThatAreDrawnAreNoPlansAndAllDiffer) {
  Seeds seeds(SeedSource::drawn), others(SeedSource::drawn);
  EXPECT_EQ(to_string(seeds.source()), "drawn");
  std::set<std::int64_t> all;
  constexpr int number = 100;
  for (int planned = 0; planned < number; ++planned)
    for (const char* one : {"exposure", "exposure-gz"}) {
      const std::int64_t seed = seeds.of(one, planned);
      EXPECT_GE(seed, least_drawn_seed);
      EXPECT_LT(seed, std::int64_t{1} << 53);
      EXPECT_EQ(seeds.of(one, planned), seed);
      all.insert({seed, others.of(one, planned)});
    }
  EXPECT_EQ(all.size(), 4 * number);
}

}  // namespace
}  // namespace spex::bench
