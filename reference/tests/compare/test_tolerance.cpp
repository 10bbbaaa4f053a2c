#include <string>

#include <gtest/gtest.h>

#include "reference/compare/tolerance.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex {
namespace {

TEST(Tolerance, ReadsNamesAndCases) {
  EXPECT_EQ(read_tolerance("production").flux_pull, 1e-6);
  EXPECT_EQ(read_tolerance("unpadded").ivar_rel, 1e-3);
  const Tolerance tiny = read_tolerance(std::string(SPEX_SOURCE_DIR) + "/golden/cases.json:tiny-r");
  EXPECT_EQ(tiny.flux_pull, 3e-4);
  EXPECT_EQ(tiny.ivar_rel, 5e-5);
  EXPECT_EQ(tiny.resolution_abs, 2e-5);
  EXPECT_EQ(tiny.chi2pix_rel, 1e-4);
  EXPECT_EQ(tiny.pixmask_abs, 1e-6);
  EXPECT_TRUE(tiny.golden);
}

TEST(Tolerance, ReportsErrors) {
  const test::ScratchFolder scratch;
  const auto kind = [](const std::string& name) {
    try {
      (void)read_tolerance(name);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind("loose"), ErrorKind::usage);
  EXPECT_EQ(kind(std::string(SPEX_SOURCE_DIR) + "/golden/cases.json:nothing"), ErrorKind::usage);
  EXPECT_EQ(kind(scratch.file("missing.json") + ":a"), ErrorKind::data);
  test::write_file(scratch.file("bad.json"), "{");
  EXPECT_EQ(kind(scratch.file("bad.json") + ":a"), ErrorKind::data);
  for (const char* limits : {"{}", R"({"flux_pull": "wide"})", R"({"flux_pull": -1})", "7"}) {
    test::write_file(scratch.file("bad.json"),
                     std::string(R"({"cases": {"a": {"tolerance": )") + limits + "}}}");
    EXPECT_EQ(kind(scratch.file("bad.json") + ":a"), ErrorKind::data) << limits;
  }
}

}  // namespace
}  // namespace spex
