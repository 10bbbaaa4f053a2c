// Serialization of frame outcomes.

#include <gtest/gtest.h>

#include "mpi/run/exposure.hpp"
#include "reference/model/message.hpp"

namespace spex::mpi {
namespace {

TEST(Outcome, SurvivesSerialization) {
  FrameOutcome outcome;
  outcome.frame = 7;
  outcome.counts.patches = 1;
  outcome.counts.fell_back = 2;
  outcome.counts.failed = 3;
  outcome.output = OutputState::earlier;
  for (const bool failed : {false, true}) {
    if (failed) outcome.failure = Failure{ErrorKind::usage, "what is wrong"};
    const auto arrived = message::unpack<FrameOutcome>(message::pack(outcome));
    EXPECT_EQ(arrived.frame, 7);
    EXPECT_EQ(arrived.counts.patches, 1);
    EXPECT_EQ(arrived.counts.fell_back, 2);
    EXPECT_EQ(arrived.counts.failed, 3);
    EXPECT_EQ(arrived.output, OutputState::earlier);
    ASSERT_EQ(arrived.failure.has_value(), failed);
    if (!failed) continue;
    EXPECT_EQ(arrived.failure->kind, ErrorKind::usage);
    EXPECT_EQ(arrived.failure->text, "what is wrong");
  }
}

}  // namespace
}  // namespace spex::mpi
