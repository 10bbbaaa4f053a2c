#include "bench/correctness/seeds.hpp"

#include <random>

namespace spex::bench {

std::string to_string(SeedSource source) {
  return source == SeedSource::plan ? "plan" : "drawn";
}

std::int64_t Seeds::of(const std::string& case_name, int planned) {
  if (source_ == SeedSource::plan) return planned;
  const auto [found, is_new] = drawn_.try_emplace({case_name, planned});
  if (is_new) {
    // Not a generator of few states, which what it has drawn would give away.
    std::random_device random;
    found->second =
        std::uniform_int_distribution<std::int64_t>(least_drawn_seed, most_drawn_seed)(random);
  }
  return found->second;
}

}  // namespace spex::bench
