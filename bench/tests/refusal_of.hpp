// Error messages in tests.
#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "reference/core/error.hpp"

namespace spex::bench {

/// The message of the Error that `work` throws, which must be of `kind`; "" if it throws none.
template <class Work>
std::string refusal_of(const Work& work, std::optional<ErrorKind> kind = {}) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind.value_or(error.kind()));
    return error.what();
  }
  return "";
}

}  // namespace spex::bench
