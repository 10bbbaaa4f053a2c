// Plans as texts of tests.
#pragma once

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "bench/plan/plan.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {

inline constexpr const char* both_cases =
    R"("night": {"cameras": "b0,r0,z0"}, "night-gz": {"cameras": "b0", "compress": "gz"})";

/// The plan of the tier ci with these entries.
inline Plan read(const std::string& entries, const std::string& more = "",
                 const std::string& cases = both_cases) {
  const test::ScratchFolder scratch;
  std::ofstream(scratch.file("plan.json"))
      << R"({"name": "p", "description": "d", "tier": "ci", "cases": {)" << cases << "}," << more
      << R"("entries": [)" << entries << "]}";
  return read_plan(scratch.file("plan.json"));
}

/// What is said of such a plan that is refused; "" of one that is not.
inline std::string refusal(const std::string& entries, const std::string& more = "",
                           const std::string& cases = both_cases) {
  try {
    static_cast<void>(read(entries, more, cases));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

}  // namespace spex::bench
