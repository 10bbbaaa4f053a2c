#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/core/version.hpp"

namespace spex {
namespace {

TEST(Error, StatesSubjectFaultAndExpectation) {
  EXPECT_STREQ(data_error("a.fits", "has no HDU IVAR", "one").what(),
               "a.fits: has no HDU IVAR (expected one)");
  EXPECT_STREQ(data_error("a.fits", "is empty").what(), "a.fits: is empty");
  EXPECT_STREQ(usage_error("", "no input").what(), "no input");
}

TEST(Error, IsOneLineForAnyFileName) {
  EXPECT_STREQ(data_error("a\nb\r.fits", "is\nempty", "x\ny").what(),
               "a b .fits: is empty (expected x y)");
}

// Headers, run logs and archives are untrusted.
TEST(Error, RemovesControlCharacters) {
  EXPECT_STREQ(data_error("a\x1b[2J", "is\x7f\twrong",
                          "\xc2\x9b"
                          "31m")
                   .what(),
               "a?[2J: is? wrong (expected ??31m)");
  EXPECT_EQ(printable("λ, é and Å"), "λ, é and Å");
  EXPECT_EQ(printable("a\u202e\u2069b"), "a??????b");
}

TEST(Error, FileSystemErrorsNameThePath) {
  try {
    static_cast<void>(std::filesystem::file_size("/none/such"));
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_EQ(words_of(error), "/none/such: No such file or directory");
  }
  EXPECT_EQ(words_of(std::runtime_error("one\ntwo")), "one");
  EXPECT_EQ(words_of(data_error("a", "is wrong")), "a: is wrong");
}

TEST(Error, KindsAndTheirExitStatus) {
  EXPECT_EQ(usage_error("--nspec", "0").kind(), ErrorKind::usage);
  EXPECT_EQ(data_error("a", "b").kind(), ErrorKind::data);
  EXPECT_EQ(exit_status(ErrorKind::usage), 2);
  EXPECT_EQ(exit_status(ErrorKind::data), 1);
  EXPECT_EQ(exit_status(ErrorKind::internal), 1);
}

TEST(Version, NamesTheProgramAndItsLibraries) {
  const std::string text = version_text("spex-cpu");
  EXPECT_EQ(text.rfind("spex-cpu (spexbench) " + version(), 0), 0U) << text;
  EXPECT_NE(text.find("CFITSIO"), std::string::npos) << text;
  EXPECT_NE(text.find("OpenBLAS"), std::string::npos) << text;
}

}  // namespace
}  // namespace spex
