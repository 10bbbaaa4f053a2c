// Serialization of objects.

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "reference/model/message.hpp"
#include "reference/model/patch_result.hpp"
#include "reference/tests/support/fields.hpp"

namespace spex::message {
namespace {

PatchResult some_result() {
  PatchResult result;
  result.status = PatchStatus::fell_back;
  result.nspec = 2, result.nwave = 3, result.ndiagonals = 5;
  result.flux = {1, 2, 3, 4, 5, 6};
  result.ivar = {7};
  result.chi2pix = {};
  result.pixmask_fraction = {0.5};
  result.pulled = {0, 1, 0};
  result.resolution = {8, 9};
  result.x0 = 10, result.x1 = 11, result.y0 = 12, result.y1 = 13;
  result.model = {14, 15};
  result.nrejected = 18;
  result.rejected = {16, 4294967295};
  result.reject_rounds = 17;
  return result;
}

TEST(Message, PatchResultSurvivesSerialization) {
  test::expect_equal(unpack<PatchResult>(pack(some_result())), some_result());
  test::expect_equal(unpack<PatchResult>(pack(PatchResult{})), PatchResult{});
}

TEST(Message, WrongLengthIsDetected) {
  std::string message = pack(some_result());
  EXPECT_THROW(static_cast<void>(unpack<PatchResult>(message + "x")), std::logic_error);
  while (!message.empty()) {
    message.pop_back();
    EXPECT_THROW(static_cast<void>(unpack<PatchResult>(message)), std::logic_error)
        << message.size();
  }
}

}  // namespace
}  // namespace spex::message
