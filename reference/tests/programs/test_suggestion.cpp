#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reference/cli/suggestion.hpp"

namespace spex {
namespace {

TEST(EditDistance, CountsLetters) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("psf", "psf"), 0);
  EXPECT_EQ(edit_distance("psf", ""), 3);
  EXPECT_EQ(edit_distance("seed", "sed"), 1);
  EXPECT_EQ(edit_distance("sed", "seed"), 1);
  EXPECT_EQ(edit_distance("seed", "send"), 1);
  EXPECT_EQ(edit_distance("lenght", "length"), 1);  // two letters swapped
  EXPECT_EQ(edit_distance("output", "input"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Suggestion, IsTheNearestName) {
  const std::vector<std::string> known{"psf", "psferr", "nspec", "specmin", "wavelength"};
  EXPECT_EQ(suggestion("wavelenght", known), "wavelength");
  EXPECT_EQ(suggestion("wavlenth", known), "wavelength");
  EXPECT_EQ(suggestion("pfs", known), "psf");
  EXPECT_EQ(suggestion("specimn", known), "specmin");
}

TEST(Suggestion, IsEmptyWhereNoNameIsNear) {
  EXPECT_EQ(suggestion("fast", {"psf", "nspec"}), "");
  EXPECT_EQ(suggestion("pss", {"nspec"}), "");
  EXPECT_EQ(suggestion("x", {}), "");
}

}  // namespace
}  // namespace spex
