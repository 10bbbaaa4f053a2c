// Texts of plans for tests.
#pragma once

#include <string>

#include "bench/plan/plan.hpp"
#include "bench/tests/refusal_of.hpp"

namespace spex::bench {

inline constexpr const char* both_cases =
    R"("night": {"cameras": "b0,r0,z0"}, "night-gz": {"cameras": "b0", "compress": "gz"})";

/// A plan with these entries.
inline Plan read(const std::string& entries, const std::string& more = "",
                 const std::string& cases = both_cases, const std::string& tier = "ci") {
  return parse_plan(R"({"name": "p", "description": "d", "tier": ")" + tier + R"(", "cases": {)" +
                        cases + "}," + more + R"("entries": [)" + entries + "]}",
                    "plan.json");
}

/// The error message for such a plan; "" if it is accepted.
inline std::string refusal(const std::string& entries, const std::string& more = "",
                           const std::string& cases = both_cases, const std::string& tier = "ci") {
  return refusal_of([&] { static_cast<void>(read(entries, more, cases, tier)); }, ErrorKind::usage);
}

}  // namespace spex::bench
