// The program spex-compare: verdict and exit status, table, JSON, rejected input.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mpi/tests/programs/spex_cpu_runs.hpp"
#include "reference/tests/programs/statuses.hpp"
#include "reference/tests/support/change_fits.hpp"
#include "spex_test_paths.hpp"

namespace spex::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

const std::string spex_compare = SPEX_BINARY_DIR "/bin/spex-compare";

Finished run_spex_compare(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"timeout", "60", spex_compare};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_captured(command);
}

std::string last_line(const std::string& text) {
  const std::string body = text.substr(0, text.size() - 1);
  return body.substr(body.rfind('\n') + 1);
}

// A frame of 10 fibers and 21 bins, extracted once by spex-cpu, and copies for changes.
class SpexCompare : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_ = new ScratchFolder;
    const Finished finished =
        run_spex_cpu(with(tiny_b(made_->file("frame.fits")), {{"--full-precision", ""}}));
    ASSERT_EQ(finished.status, 0) << finished.err;
    write_file(made_->file("text.fits"), "This is no FITS file.\n");
    write_file(made_->file("empty.fits"), "");
  }
  static void TearDownTestSuite() { delete made_; }

  [[nodiscard]] static std::string frame() { return made_->file("frame.fits"); }
  [[nodiscard]] std::string copy() const { return scratch.copy_of(frame(), "other.fits"); }

  static inline ScratchFolder* made_ = nullptr;
  const ScratchFolder scratch;
};

TEST_F(SpexCompare, EqualFilesPassEveryTolerance) {
  const std::string other_frame = copy();
  for (const char* tolerance : {"identical", "production", "unpadded"}) {
    const Finished finished = run_spex_compare({frame(), other_frame, "--tolerance", tolerance});
    EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
    EXPECT_EQ(finished.err, "");
    EXPECT_THAT(last_line(finished.out), HasSubstr("ok: 210 of 210 bins compared"));
    EXPECT_THAT(last_line(finished.out), HasSubstr(tolerance));
  }
}

TEST_F(SpexCompare, ChangedBinIsReported) {
  const std::string changed = copy();
  const HduImage flux = read_image(changed, "FLUX");
  const long long nwave = flux.axes.at(0);
  ASSERT_EQ(nwave, 21);
  const long long j = 3 * nwave + 5;  // fiber 3, bin 5: 3620 + 5 * 0.8 Angstrom
  set_pixels(changed, "FLUX", j, {flux.value.at(j) * 1.1 + 1});
  const Finished finished = run_spex_compare({changed, frame()});
  EXPECT_EQ(finished.status, differs_status);
  EXPECT_EQ(finished.err, "");
  EXPECT_THAT(last_line(finished.out), MatchesRegex("FAIL: FLUX: .*"));
  EXPECT_THAT(last_line(finished.out), HasSubstr("fiber 3, 3624.00 A (bin 5)"));
}

// Far within production's tolerance: only `identical` detects it.
TEST_F(SpexCompare, LastBitFailsOnlyIdentical) {
  const std::string changed = copy();
  const HduImage flux = read_image(changed, "FLUX");
  set_pixels(changed, "FLUX", 50, {std::nextafter(flux.value.at(50), 1e30)});
  EXPECT_EQ(run_spex_compare({changed, frame()}).status, 0);
  const Finished finished = run_spex_compare({changed, frame(), "--tolerance", "identical"});
  EXPECT_EQ(finished.status, differs_status);
  EXPECT_THAT(last_line(finished.out), HasSubstr("FLUX"));
}

TEST_F(SpexCompare, NanFails) {
  const std::string changed = copy();
  set_pixels(changed, "IVAR", 7, {std::numeric_limits<double>::quiet_NaN()});
  const Finished finished = run_spex_compare({changed, frame()});
  EXPECT_EQ(finished.status, differs_status);
  EXPECT_THAT(last_line(finished.out), HasSubstr("not finite"));
}

TEST_F(SpexCompare, ChecksumsAreCompared) {
  const std::string changed = copy();
  std::string bytes = read_file(changed);
  bytes.at(bytes.find("'IVAR") + 3000) ^= 0x01;
  write_file(changed, bytes);
  const Finished finished = run_spex_compare({changed, frame()});
  EXPECT_EQ(finished.status, other_status);
  EXPECT_THAT(finished.err, HasSubstr("other.fits: HDU IVAR does not have the checksum"));
  EXPECT_EQ(run_spex_compare({changed, frame(), "--no-checksums"}).status, differs_status);
}

TEST_F(SpexCompare, FewerFibersFail) {
  const std::string part = scratch.file("part.fits");
  ASSERT_EQ(run_spex_cpu(with(tiny_b(part), {{"-n", "9"}, {"--full-precision", ""}})).status, 0);
  const Finished finished = run_spex_compare({part, frame()});
  EXPECT_EQ(finished.status, differs_status);
  EXPECT_THAT(last_line(finished.out), HasSubstr("FAIL: "));
}

TEST_F(SpexCompare, GoldenToleranceIsReadFromItsCases) {
  const std::string cases = golden + "cases.json:tiny-b";
  const std::string golden_frame = golden + "tiny-b/frame-tiny-b.fits";
  const std::string whole = scratch.file("whole.fits");
  ASSERT_EQ(run_spex_cpu({{"-i", golden + "tiny-b/preproc.fits"},
                          {"-p", golden + "tiny-b/psf.fits"},
                          {"-o", whole},
                          {"-w", "3610,3700,0.8"},
                          {"--bundlesize", "5"},
                          {"--nsubbundles", "1"},
                          {"--full-precision", ""},
                          {"--loglevel", "error"}})
                .status,
            0);
  const Finished right = run_spex_compare({whole, golden_frame, "--tolerance", cases});
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  EXPECT_THAT(last_line(right.out), HasSubstr("cases.json:tiny-b"));
  const Finished wrong = run_spex_compare({frame(), golden_frame, "--tolerance", cases});
  EXPECT_EQ(wrong.status, differs_status) << wrong.out;
}

TEST_F(SpexCompare, JsonAgreesWithTheTable) {
  const std::string changed = copy();
  set_pixels(changed, "IVAR", 30, {read_image(changed, "IVAR").value.at(30) * 1.5 + 1});
  const std::string path = scratch.file("report.json");
  for (const bool equal : {true, false}) {
    const Finished finished = run_spex_compare(
        {equal ? frame() : changed, frame(), "--json", path, "--label", "first try"});
    const auto report = nlohmann::json::parse(read_file(path));
    EXPECT_EQ(report.at("program"), "spex-compare");
    EXPECT_EQ(report.at("label"), "first try");
    EXPECT_EQ(report.at("ok"), equal);
    EXPECT_EQ(report.at("comparison").at("bins").at("compared"), 210);
    EXPECT_TRUE(report.at("truth").is_null());
    if (equal) {
      EXPECT_TRUE(report.at("failure").is_null());
      EXPECT_EQ(finished.status, 0);
    } else {
      EXPECT_EQ("FAIL: " + report.at("failure").get<std::string>(), last_line(finished.out));
      EXPECT_EQ(finished.status, differs_status);
    }
  }
}

TEST_F(SpexCompare, InvalidInputGivesOneLine) {
  struct WrongInput {
    std::string name;
    std::vector<std::string> arguments;
    int status;
    std::string says;
  };
  const std::string none = scratch.file("none.fits");
  const std::vector<WrongInput> bad_runs{
      {"missing result", {none, frame()}, other_status, "none.fits: "},
      {"missing expected", {frame(), none}, other_status, "none.fits: "},
      {"missing truth", {frame(), "--truth", none}, other_status, "none.fits: "},
      {"text", {made_->file("text.fits"), frame()}, other_status, "text.fits: "},
      {"empty", {frame(), made_->file("empty.fits")}, other_status, "empty.fits: "},
      {"no frame", {frame(), golden + "tiny-b/psf.fits"}, other_status, "psf.fits: "},
      {"no truth", {frame(), "--truth", frame()}, other_status, "ONGRID"},
      {"nothing to compare with", {frame()}, usage_status, "--truth"},
      {"no file at all", {}, usage_status, "result"},
      {"three files", {frame(), frame(), frame()}, usage_status, "frame.fits"},
      {"unknown flag", {frame(), frame(), "--fast"}, usage_status, "--fast"},
      {"unknown tolerance", {frame(), frame(), "--tolerance", "loose"}, usage_status, "unpadded"},
      {"unknown case",
       {frame(), frame(), "--tolerance", golden + "cases.json:tiny-x"},
       usage_status,
       "tiny-b"},
      {"missing cases",
       {frame(), frame(), "--tolerance", scratch.file("none.json:tiny-b")},
       other_status,
       "none.json: "},
      {"cases of another kind",
       {frame(), frame(), "--tolerance", made_->file("text.fits:tiny-b")},
       other_status,
       "text.fits: "},
      {"json folder missing",
       {frame(), frame(), "--json", scratch.file("none/report.json")},
       other_status,
       "does not exist"},
      {"json is a folder", {frame(), frame(), "--json", scratch.file("")}, other_status, "folder"},
  };
  for (const WrongInput& bad : bad_runs) {
    SCOPED_TRACE(bad.name);
    const Finished finished = run_spex_compare(bad.arguments);
    EXPECT_EQ(finished.status, bad.status);
    EXPECT_EQ(finished.out, "");
    EXPECT_TRUE(finished.err.starts_with("spex-compare: ")) << finished.err;
    EXPECT_EQ(finished.err.find('\n') + 1, finished.err.size()) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(bad.says));
    EXPECT_TRUE(scratch.names().empty());
  }
}

TEST_F(SpexCompare, PrintsVersionAndHelp) {
  const Finished version = run_spex_compare({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out,
              MatchesRegex("spex-compare \\(spexbench\\) [0-9]+\\.[0-9]+\\.[0-9]+.*\n"));
  const Finished help = run_spex_compare({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* option : {"--tolerance", "--truth", "--json", "--label", "--version"})
    EXPECT_THAT(help.out, HasSubstr(option));
}

TEST_F(SpexCompare, ReportDoesNotOverwriteInputs) {
  const std::string other_frame = copy();
  const std::string before = read_file(other_frame);
  for (const std::vector<std::string>& files : {std::vector<std::string>{frame(), other_frame},
                                                {other_frame, frame()},
                                                {frame(), "--truth", other_frame}}) {
    std::vector<std::string> arguments = files;
    arguments.insert(arguments.end(), {"--json", other_frame});
    const Finished finished = run_spex_compare(arguments);
    EXPECT_EQ(finished.status, usage_status);
    EXPECT_THAT(finished.err, HasSubstr("other.fits: would overwrite an input"));
  }
  EXPECT_TRUE(read_file(other_frame) == before);
}

}  // namespace
}  // namespace spex::test
