#include <set>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/model/camera.hpp"

namespace spex {
namespace {

TEST(Camera, EveryNameIsParsed) {
  std::set<std::string> names;
  for (const Camera& camera : all_cameras()) {
    names.insert(camera.name());
    const auto read = parse_camera(camera.name());
    ASSERT_TRUE(read) << camera.name();
    EXPECT_EQ(read->arm, camera.arm);
    EXPECT_EQ(read->spectrograph, camera.spectrograph);
    EXPECT_EQ(&arm_of(camera), find_arm(camera.name()));
  }
  EXPECT_EQ(names.size(), 30U);
  EXPECT_EQ(all_cameras()[4].name(), "r1");
  EXPECT_EQ(all_cameras()[4].fibermin(), 500);
}

TEST(Camera, OtherNamesAreRejected) {
  for (const char* name : {"", "b", "x0", "b10", "B0", "b-", "0b", " b0"})
    EXPECT_FALSE(parse_camera(name)) << name;
  EXPECT_EQ(find_arm(""), nullptr);
  EXPECT_EQ(find_arm("x0"), nullptr);
  EXPECT_THROW(static_cast<void>(arm_of({'x', 0})), std::logic_error);
}

// Neighboring arms overlap, and each detector covers its whole grid.
TEST(Camera, ArmsAreSortedAndOverlap) {
  for (std::size_t i = 0; i < arms.size(); ++i) {
    EXPECT_LT(arms[i].detector.wavemin, arms[i].grid.wmin);
    EXPECT_GT(arms[i].detector.wavemax, arms[i].grid.wmax);
    if (i == 0) continue;
    EXPECT_LT(arms[i].grid.wmin, arms[i - 1].grid.wmax);
    EXPECT_EQ(arms[i].scores.first, arms[i - 1].scores.end);
  }
}

TEST(Cameras, ListsAreParsed) {
  const auto names = [](const char* text) {
    std::string all;
    for (const Camera& camera : parse_cameras(text)) all += camera.name() + " ";
    return all;
  };
  EXPECT_EQ(names("z9,b0"), "z9 b0 ");
  EXPECT_EQ(names("a0,b0,R12"), "b0 r0 z0 r1 r2 ");
  EXPECT_EQ(names("b0z1"), "b0 z1 ");
  EXPECT_EQ(parse_cameras("all").size(), 30U);
  for (const char* wrong : {"", "r", "x0", "r0,", "r0 b0", "br1", "0"})
    EXPECT_THROW(static_cast<void>(parse_cameras(wrong)), Error) << wrong;
}

}  // namespace
}  // namespace spex
