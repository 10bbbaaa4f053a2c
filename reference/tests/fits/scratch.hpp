// A temporary folder for each test, and expectations for errors.
#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex::test {

/// Fixture with a temporary folder, which is removed after the test.
class Scratch : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }
  /// Number of files in the folder, including hidden files.
  [[nodiscard]] long files() const { return static_cast<long>(folder_.names().size()); }

 private:
  ScratchFolder folder_;
};

/// `act` must throw Error(data) in one line that starts with `file`, contains `wrong`, and then
/// contains `expected` in parentheses.
inline void expect_data_error(const std::function<void()>& act, const std::string& file,
                              const std::string& wrong, const std::string& expected) {
  try {
    act();
    ADD_FAILURE() << "no error; wanted: " << wrong;
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::data) << text;
    EXPECT_TRUE(text.starts_with(file + ": ")) << text;
    const std::size_t at = text.find(" (expected ");
    EXPECT_NE(text.substr(0, at).find(wrong), std::string::npos) << text;
    if (!expected.empty()) {
      ASSERT_NE(at, std::string::npos) << text;
      EXPECT_NE(text.find(expected, at), std::string::npos) << text;
    }
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

/// The path of a golden input.
inline std::string golden(const std::string& name) {
  return std::string(SPEX_SOURCE_DIR "/golden/") + name;
}

}  // namespace spex::test
