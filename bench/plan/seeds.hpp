// The seeds that exposures are simulated with.
#pragma once

#include <cstdint>
#include <string>

namespace spex::bench {

/// Where they come from: the plan, whose inputs and references are kept for later runs, or drawn
/// for each run, so that nobody knows them before.
enum class SeedSource { plan, drawn };

/// "plan" or "drawn".
[[nodiscard]] std::string to_string(SeedSource source);

/// A seed above all those of plans, which JSON's numbers hold.
[[nodiscard]] std::int64_t draw_seed();

}  // namespace spex::bench
