// The JSON of bench_kernels_cpu has the members that reports read.
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reference/core/blas.hpp"
#include "reference/tests/support/process.hpp"
#include "spex_test_paths.hpp"

namespace spex {
namespace {

using nlohmann::json;

const std::string program = std::string(SPEX_BINARY_DIR) + "/bench/bench_kernels_cpu";

TEST(BenchKernelsCpu, WritesJson) {
  const test::ScratchFolder scratch;
  const std::string file = scratch.file("kernels.json");
  // All benchmarks except the slow ones.
  const test::Finished run = test::run_captured(
      {program, "--benchmark_min_time=0.001", "--benchmark_filter=^[^e]|^eigh/(dsyevr/)?(32|64)$",
       "--benchmark_out=" + file, "--benchmark_out_format=json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const json result = json::parse(test::read_file(file));
  for (const std::string& key :
       {std::string("version"), blas_library().name, blas_library().name + " core"})
    EXPECT_FALSE(result.at("context").at(key).get<std::string>().empty()) << key;
  std::set<std::string> subjects;
  for (const json& benchmark : result.at("benchmarks")) {
    const std::string name = benchmark.at("name");
    subjects.insert(name.substr(0, name.find('/')));
    EXPECT_GT(benchmark.at("real_time").get<double>(), 0) << name;
    EXPECT_GT(benchmark.at("items_per_second").get<double>(), 0) << name;
  }
  EXPECT_EQ(subjects, (std::set<std::string>{"ceiling", "eigh", "fibers", "normal_equations",
                                             "quality", "spots"}));
}

TEST(BenchKernelsCpu, RefusesUnknownOptions) {
  EXPECT_EQ(test::run_captured({program, "--no-such-option"}).status, 2);
}

}  // namespace
}  // namespace spex
