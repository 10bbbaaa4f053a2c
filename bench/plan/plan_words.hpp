// The words of plans, which results repeat.
#pragma once

#include <string>
#include <vector>

#include "bench/plan/members.hpp"

namespace spex::bench {

inline constexpr auto tiers = one_of("ci", "acceptance", "production", "night");
inline constexpr auto divisions = one_of("ported", "optimized");
inline constexpr auto sizes = one_of("tiny", "bundle", "full");
inline constexpr auto image_forms = one_of("none", "gz", "fz");
inline constexpr auto frame_forms = one_of("none", "gz");
inline constexpr auto reference_methods = one_of("eigh", "cholesky");
inline constexpr auto sweep_kinds =
    one_of("ranks-per-gpu", "gpus", "mps", "nodes", "strong", "weak", "weak-frames", "weak-nodes",
           "threads", "extractors", "nwavestep", "nsubbundles", "compression");
/// The names of all milestones, in order.
[[nodiscard]] std::vector<std::string> milestone_words();

}  // namespace spex::bench
