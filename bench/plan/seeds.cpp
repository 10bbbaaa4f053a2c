#include "bench/plan/seeds.hpp"

#include <random>

namespace spex::bench {

std::string to_string(SeedSource source) {
  return source == SeedSource::plan ? "plan" : "drawn";
}

std::int64_t draw_seed() {
  constexpr std::int64_t least = std::int64_t{1} << 32, most = (std::int64_t{1} << 53) - 1;
  std::random_device random;
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

}  // namespace spex::bench
