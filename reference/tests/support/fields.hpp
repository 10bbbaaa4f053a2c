// Compares structs that list their fields.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "reference/model/members.hpp"

namespace spex::test {

/// Expects all fields to be equal; names the index of a field that is not.
template <class T>
void expect_equal(const T& a, const T& b) {
  if constexpr (HasFields<const T>) {
    const auto left = fields(a);
    const auto right = fields(b);
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (
          [&] {
            SCOPED_TRACE("field " + std::to_string(i));
            expect_equal(std::get<i>(left), std::get<i>(right));
          }(),
          ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(left)>>());
  } else {
    EXPECT_TRUE(a == b);
  }
}

}  // namespace spex::test
