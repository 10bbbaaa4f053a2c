// A test program runs the tests of some of its sources.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace spex::test {

/// Keeps the tests of the source files that the command line names,
/// `--sources=test_a.cpp,test_b.cpp`, as CTest does (ci/cmake/SpexTests.cmake); all tests where it
/// names none. Called after InitGoogleTest, which takes its own arguments. Returns false, with a
/// line on stderr, for another argument and for a file without tests.
inline bool keep_tests_of_sources(int argc, char** argv) {
  const std::string_view option = "--sources=";
  std::set<std::string, std::less<>> wanted;
  for (int i = 1; i < argc; ++i) {
    std::string_view names = argv[i];
    if (!names.starts_with(option)) {
      std::fprintf(stderr, "%s: unknown argument %s (expected --sources=FILE,... or --gtest_...)\n",
                   argv[0], argv[i]);
      return false;
    }
    names.remove_prefix(option.size());
    while (!names.empty()) {
      const std::size_t end = names.find(',');
      wanted.emplace(names.substr(0, end));
      names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    }
  }
  if (wanted.empty()) return true;

  std::set<std::string, std::less<>> missing = wanted;
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      const std::string_view path = test.file();
      const std::string file(path.substr(path.rfind('/') + 1));
      if (!wanted.contains(file)) continue;
      missing.erase(file);
      filter += std::string(suite.name()) + "." + test.name() + ":";
    }
  }
  for (const std::string& file : missing) {
    std::fprintf(stderr, "%s: no test is of %s (expected a source of this program)\n", argv[0],
                 file.c_str());
  }
  testing::GTEST_FLAG(filter) = filter;
  return missing.empty();
}

}  // namespace spex::test
