// Objects as bytes, and back.

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/comm/message.hpp"
#include "mpi/run/exposure.hpp"
#include "reference/model/patch_result.hpp"
#include "reference/tests/support/fields.hpp"

namespace spex::mpi {
namespace {

PatchResult some_result() {
  PatchResult result;
  result.status = PatchStatus::fell_back;
  result.nspec = 2, result.nwave = 3, result.ndiagonals = 5;
  result.flux = {1, 2, 3, 4, 5, 6};
  result.ivar = {7};
  result.chi2pix = {};
  result.pixmask_fraction = {0.5};
  result.resolution = {8, 9};
  result.x0 = 10, result.x1 = 11, result.y0 = 12, result.y1 = 13;
  result.model = {14, 15};
  return result;
}

TEST(Message, PatchResultComesBackWhole) {
  test::expect_equal(unpack<PatchResult>(pack(some_result())), some_result());
  test::expect_equal(unpack<PatchResult>(pack(PatchResult{})), PatchResult{});
}

TEST(Message, OutcomeComesBackWhole) {
  FrameOutcome outcome;
  outcome.frame = 7;
  outcome.counts.patches = 1;
  outcome.counts.fell_back = 2;
  outcome.counts.failed = 3;
  outcome.output = OutputState::earlier;
  for (const bool failed : {false, true}) {
    if (failed) outcome.failure = Failure{ErrorKind::usage, "what is wrong"};
    const auto arrived = unpack<FrameOutcome>(pack(outcome));
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

TEST(Message, OfAnotherLengthIsNoticed) {
  std::string message = pack(some_result());
  EXPECT_THROW(static_cast<void>(unpack<PatchResult>(message + "x")), std::logic_error);
  while (!message.empty()) {
    message.pop_back();
    EXPECT_THROW(static_cast<void>(unpack<PatchResult>(message)), std::logic_error)
        << message.size();
  }
}

}  // namespace
}  // namespace spex::mpi
