#include <algorithm>

#include <gtest/gtest.h>

#include "bench/campaign/long_run.hpp"
#include "bench/result/steady_state.hpp"

namespace spex::bench {
namespace {

constexpr double requested_s = 120;

class LongRunLength : public testing::Test {
 protected:
  LongRunLength() {
    plan_case_.cameras.assign(30, "b0");
    plan_case_.seeds = 2;
    entry_.sustain = Sustain{requested_s, {}};
    run_.entry = &entry_;
    run_.plan_case = &plan_case_;
    run_.record.work.sustain = entry_.sustain;
    run_.record.timing.warmups = 2;
    run_.record.launch.ranks = 4;
  }

  // A warm-up of `frames` frames whose steady part has `rate` frames a second.
  void warm_up(int frames, double seconds, double rate) {
    Sample sample;
    sample.warmup = true;
    sample.extraction_s = seconds;
    const int edge = std::min(max_edge_frames, frames / 10), steady = frames - 2 * edge;
    sample.sustained = LongRun{frames, 30, {}, LongPart{edge, edge + steady, steady / rate, {}}};
    run_.record.timing.samples.push_back(sample);
  }

  void repeat_at(double rate) { run_.steady_rate = rate; }

  [[nodiscard]] int next() const { return next_frame_count(run_); }

 private:
  Entry entry_;
  Case plan_case_;
  EntryRun run_;
};

// Four H200s took a third of the second warm-up to start. Then they extracted 82 frames a second.
TEST_F(LongRunLength, IsNotShortenedByTheStartOfTheWarmUp) {
  EXPECT_EQ(next(), 30);
  warm_up(30, 2.69, 98.4);
  warm_up(300, 5.62, 90.8);
  EXPECT_GE(next(), requested_s * 82);
  EXPECT_LE(next(), 1.4 * requested_s * 82);
}

// Other four H200s extracted 72 frames a second after a warm-up with 59.5.
TEST_F(LongRunLength, OfARepetitionComesFromTheRunThatWasTooShort) {
  warm_up(30, 2.78, 105.1);
  warm_up(450, 10.12, 59.5);
  EXPECT_LT(next(), requested_s * 72 + 60);
  repeat_at(72);
  EXPECT_GE(next(), 1.2 * requested_s * 72);
}

TEST_F(LongRunLength, IsLimitedIfTheWarmUpWasWrittenAtOnce) {
  warm_up(30, 1, 1e9);
  EXPECT_LE(next(), 2 * 20 * 30);
  warm_up(90, 3, 1e9);
  EXPECT_LE(next(), 3 * requested_s * 90 / 3);
}

}  // namespace
}  // namespace spex::bench
