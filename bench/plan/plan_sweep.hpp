// Entries of a plan that stand for several, a point of a sweep each.
#pragma once

#include <vector>

#include "bench/plan/entry.hpp"
#include "bench/plan/plan_object.hpp"

namespace spex::bench {

/// The entry itself, or where `object`, which it was read from, has a `sweep`, an entry for each of
/// its values. Throws Error(usage).
[[nodiscard]] std::vector<Entry> resolve_sweep(const Entry& entry, const PlanObject& object);

}  // namespace spex::bench
