#include <gtest/gtest.h>

#include "reference/core/header_word.hpp"

namespace spex {
namespace {

TEST(HeaderWord, HasNoQuotesBlanksAndCapitals) {
  for (const char* text :
       {"r0", "R0", " r0 ", "r0      ", "'r0      '", "''r0      ''", "\" R0\t\""})
    EXPECT_EQ(header_word(text), "r0") << text;
}

TEST(HeaderWord, KeepsWhatIsInside) {
  EXPECT_EQ(header_word("'Gauss-Hermite 2'"), "gauss-hermite 2");
  EXPECT_EQ(header_word("d'Alembert"), "d'alembert");
}

TEST(HeaderWord, OfNothing) {
  for (const char* text : {"", " ", "''", "'  '"}) EXPECT_EQ(header_word(text), "") << text;
}

}  // namespace
}  // namespace spex
