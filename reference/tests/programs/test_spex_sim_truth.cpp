// End to end: simulates spectra, extracts them, and compares them with the truth. A bundle at
// production's settings, so that the limits of spex-compare --truth are meaningful.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mpi/tests/programs/spex_cpu_runs.hpp"
#include "reference/tests/programs/statuses.hpp"
#include "spex_test_paths.hpp"

namespace spex::test {
namespace {

using testing::HasSubstr;

const std::string bin = SPEX_BINARY_DIR "/bin/";

Finished simulate_bundle(const std::string& folder, const std::string& seed) {
  return run_captured({"timeout", "120", bin + "spex-sim", "-o", folder, "--cameras", "r0",
                       "--size", "bundle", "--on-grid", "--seed", seed, "--loglevel", "error"});
}

// 25 fibers of r0 with seed 1, extracted; and the truth of seed 2.
class Truth : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_ = new ScratchFolder;
    for (const char* seed : {"1", "2"}) {
      const Finished simulated = simulate_bundle(file(seed), seed);
      ASSERT_EQ(simulated.status, 0) << simulated.err;
    }
    const Finished extracted =
        run_captured({"timeout", "240", bin + "spex-cpu", "-i", file("1/preproc-r0-00000001.fits"),
                      "-p", file("1/psf-r0-00000001.fits"), "-o", file("frame.fits"), "--method",
                      "cholesky", "--loglevel", "error"});
    ASSERT_EQ(extracted.status, 0) << extracted.err;
  }
  static void TearDownTestSuite() { delete made_; }

  static std::string file(const std::string& name) { return made_->file(name); }
  static Finished compare(const std::string& seed) {
    return run_captured({"timeout", "120", bin + "spex-compare", file("frame.fits"), "--truth",
                         file(seed + "/truth-r0-00000001.fits"), "--json", file("report.json")});
  }

  static inline ScratchFolder* made_ = nullptr;
};

TEST_F(Truth, OfTheSameSkyPasses) {
  const Finished finished = compare("1");
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  const auto truth = nlohmann::json::parse(read_file(file("report.json"))).at("truth");
  EXPECT_GT(truth.at("bins"), 50000);  // of 25 fibers x 2326 bins
  EXPECT_NEAR(truth.at("mean"), 0, 0.03);
  EXPECT_NEAR(truth.at("std"), 1, 0.03);
  EXPECT_NEAR(truth.at("half_width"), 1, 0.03);
  EXPECT_NEAR(truth.at("correlation"), 0, 0.03);
}

TEST_F(Truth, OfAnotherSkyFails) {
  const Finished finished = compare("2");
  EXPECT_EQ(finished.status, differs_status) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("FAIL: FLUX: "));
}

}  // namespace
}  // namespace spex::test
