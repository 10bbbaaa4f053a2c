#include <gmock/gmock.h>

#include "bench/campaign/sustained.hpp"

namespace spex::bench {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

Dataset exposure(int seed) {
  Dataset data;
  data.seed = seed;
  for (const char* camera : {"r0", "b0", "z0"}) {
    InputFrame frame;
    frame.camera = camera;
    data.frames.push_back(frame);
  }
  return data;
}

TEST(LongRun, TakesExposuresInTurnByCamera) {
  const Dataset first = exposure(1), second = exposure(2);
  const LongRun run = make_long_run({&first, &second}, 8, "out");
  ASSERT_EQ(run.listed.size(), 8U);
  EXPECT_EQ(run.listed[0].input->camera, "b0");
  EXPECT_EQ(run.listed[2].input->camera, "z0");
  EXPECT_EQ(run.listed[0].output, "out/frame-000000.fits");
  // Six inputs that differ, and then the first ones again.
  ASSERT_EQ(run.inputs.size(), 6U);
  EXPECT_EQ(run.inputs[3].exposure, &second);
  EXPECT_EQ(run.awaited[5].input, 5);
  EXPECT_EQ(run.awaited[6].input, 0);
  EXPECT_EQ(run.listed[6].input, run.listed[0].input);
}

TEST(LongRun, IsAsLongAsItIsAskedFor) {
  // 1800 s of 10 frames a second and a tenth, 30 frames at either end, whole exposures.
  EXPECT_EQ(frames_to_last(1800, 10, 30, 0), 19860);
  EXPECT_EQ(frames_to_last(1, 1, 30, 120), 120);
  EXPECT_EQ(frames_to_calibrate(1800, 10, 30, 0), 210);
  EXPECT_EQ(frames_to_calibrate(10, 10, 30, 0), 30);
  EXPECT_EQ(frames_to_calibrate(10, 10, 30, 512), 540);
}

TEST(LongRun, AWaveOfFramesIsNoRate) {
  EXPECT_EQ(rate_to_expect(40, 1.1), 40);
  // Thirty frames after 20 s, all at once.
  EXPECT_EQ(rate_to_expect(48, 32), 48 * 1.25 / 32);
}

// A machine that gave more later explains as much of the gain, and no more.
TEST(LongRun, AMachineThatChangesItsSpeedExplainsAGain) {
  const auto why = [](double steady, double later) {
    return why_not_sustained({{"gain", 2.5},
                              {"first_pass", {{"gain", 5.0}}},
                              {"machine_speed", {{"steady", steady}, {"later", later}}}});
  };
  EXPECT_EQ(why(1.3, 2.6), "");
  EXPECT_THAT(why(1.3, 2.4), HasSubstr("5.0 times as fast as the first ones (at most 4.8)"));
  EXPECT_THAT(why(1.2, 2.6), HasSubstr("they were held back"));
  EXPECT_THAT(why(0.1, 9), HasSubstr("(at most 2)"));
  EXPECT_THAT(why_not_sustained({{"gain", 2.5},
                                 {"first_pass", nullptr},
                                 {"machine_speed", {{"steady", nullptr}, {"later", nullptr}}}}),
              HasSubstr("they were held back"));
}

TEST(LongRun, SaysWhyItIsNotSustained) {
  const auto why = [](double gain, const Json& first_pass) {
    return why_not_sustained({{"gain", gain}, {"first_pass", first_pass}});
  };
  EXPECT_EQ(why_not_sustained(nullptr), "");
  EXPECT_EQ(why(1.3, nullptr), "");
  EXPECT_EQ(why(1.3, {{"gain", 1.9}}), "");
  EXPECT_THAT(why(2.1, nullptr), HasSubstr("they were held back"));
  EXPECT_THAT(why(1.3, {{"gain", 5.0}}), HasSubstr("answers were kept"));
}

}  // namespace
}  // namespace spex::bench
