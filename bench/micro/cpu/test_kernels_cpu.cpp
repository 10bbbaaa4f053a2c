// bench_kernels_cpu: which benchmarks there are, and that its JSON holds what is read from it.
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reference/core/blas.hpp"
#include "reference/tests/support/process.hpp"
#include "spex_test_paths.hpp"

namespace spex {
namespace {

using nlohmann::json;
using testing::UnorderedElementsAreArray;

const std::string program = std::string(SPEX_BINARY_DIR) + "/bench/bench_kernels_cpu";

std::set<std::string> lines(const std::string& text) {
  std::set<std::string> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) found.insert(line);
  return found;
}

const std::vector<std::string> fast_names{"spots/bundle",
                                          "normal_equations/bands",
                                          "normal_equations/sparse",
                                          "quality/patch",
                                          "ceiling/multiply_add",
                                          "ceiling/read",
                                          "eigh/32",
                                          "normal_equations/panels",
                                          "eigh/64",
                                          "fibers/solve/manual_time",
                                          "fibers/decorrelate/manual_time",
                                          "fibers/whole_patch/solve/manual_time",
                                          "fibers/whole_patch/decorrelate/manual_time"};

TEST(BenchKernelsCpu, HasAllBenchmarks) {
  std::vector<std::string> names = fast_names;
  for (const char* slow :
       {"eigh/128", "eigh/256", "eigh/350", "eigh/512", "eigh/518", "eigh/1024", "eigh/2048"})
    names.emplace_back(slow);
  const test::Finished run = test::run_captured({program, "--benchmark_list_tests=true"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(lines(run.out), UnorderedElementsAreArray(names));
}

TEST(BenchKernelsCpu, WritesJson) {
  std::string filter;
  for (const std::string& name : fast_names) filter += (filter.empty() ? "^(" : "|") + name;
  filter += ")$";
  const test::ScratchFolder scratch;
  const std::string file = scratch.file("kernels.json");
  const test::Finished run =
      test::run_captured({program, "--benchmark_min_time=0.001", "--benchmark_filter=" + filter,
                          "--benchmark_out=" + file, "--benchmark_out_format=json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const json result = json::parse(test::read_file(file));
  for (const std::string& key :
       {std::string("version"), blas_library().name, blas_library().name + " core"})
    EXPECT_FALSE(result.at("context").at(key).get<std::string>().empty()) << key;
  std::vector<std::string> names;
  for (const json& benchmark : result.at("benchmarks")) {
    names.push_back(benchmark.at("name"));
    EXPECT_GT(benchmark.at("real_time").get<double>(), 0) << names.back();
    EXPECT_GT(benchmark.at("items_per_second").get<double>(), 0) << names.back();
  }
  EXPECT_THAT(names, UnorderedElementsAreArray(fast_names));
}

TEST(BenchKernelsCpu, RefusesUnknownOptions) {
  EXPECT_EQ(test::run_captured({program, "--no-such-option"}).status, 2);
}

}  // namespace
}  // namespace spex
