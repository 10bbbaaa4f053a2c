// Parts of a frame: any specmin and nspec, one fiber, one wavelength.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/tests/programs/cpu_milestones.hpp"
#include "mpi/tests/programs/spex_cpu_runs.hpp"
#include "reference/tests/support/change_fits.hpp"

namespace spex::test {
namespace {

// The wavelengths of an arm's PSF end before those of all arms: bins beyond have no data, and the
// others are as without them.
TEST(Wavelengths, BeyondThePsf) {
  const ScratchFolder scratch;
  const std::string wide = scratch.file("wide.fits"), narrow = scratch.file("narrow.fits");
  Options options = with(tiny_b(narrow), {{"-w", "3620.1,3651.3,0.8"}, {"--full-precision", ""}});
  ASSERT_EQ(run_spex_cpu(options).status, 0);
  EXPECT_FALSE(FitsReader(narrow).find_integer("NBEYOND"));
  options = with(options, {{"-w", "3620.1,4600,0.8"}, {"-o", wide}, {"--loglevel", "warn"}});
  const Finished finished = run_spex_cpu(options);
  ASSERT_EQ(finished.status, 0) << finished.err;
  // The range of the PSF, 3580 to 3780, as far again.
  const int first = static_cast<int>((3980 - 3620.1) / 0.8) + 1, nwave = 1226;
  EXPECT_EQ(FitsReader(wide).get_integer("NBEYOND"), 10 * (nwave - first));
  EXPECT_THAT(finished.err, testing::HasSubstr("7760 bins lie beyond the wavelengths of the PSF"));
  const HduImage mask = read_image(wide, "MASK"), flux = read_image(wide, "FLUX");
  ASSERT_EQ(mask.axes.front(), nwave);
  const HduImage expected = read_image(narrow, "FLUX");
  for (int s = 0; s < 10; ++s)
    for (int w = 0; w < nwave; ++w) {
      const std::size_t j = static_cast<std::size_t>(s) * nwave + w;
      EXPECT_EQ((static_cast<unsigned>(mask.value[j]) & 256U) != 0, w >= first) << s << ", " << w;
      if (w < 40) {
        EXPECT_EQ(flux.value[j], expected.value[static_cast<std::size_t>(s) * 40 + w]);
      } else if (w >= first) {
        EXPECT_EQ(flux.value[j], 0);
      }
    }
}

// What the PSF's file says of its fit is in the log and in the frame's header.
TEST(FitOfThePsf, IsReported) {
  const ScratchFolder scratch;
  const std::string psf = scratch.copy_of(golden + "tiny-b/psf.fits", "psf.fits");
  set_psf_parameter(psf, "STATUS", 3, {-1, 0, 0});
  set_number(psf, "PSF", "B01RCHI2", 0);
  const std::string frame = scratch.file("frame.fits");
  const Finished finished =
      run_spex_cpu(with(tiny_b(frame), {{"-p", psf}, {"--loglevel", "warn"}, {"--nspec", "8"}}));
  ASSERT_EQ(finished.status, 0) << finished.err;
  const FitsReader reader(frame);
  EXPECT_EQ(reader.get_integer("NPSFFAIL"), 1);
  EXPECT_EQ(reader.get_integer("NPSFNFIT"), 3);
  EXPECT_EQ(reader.get_integer("NPSFTAIL"), 8);
  for (const char* line : {"the fit of the PSF failed for 1 fibers (STATUS)",
                           "3 fibers are in bundles whose PSF was not fitted (BnnRCHI2 is 0)",
                           "the PSF of 8 fibers has tails (TAILAMP), which are ignored"})
    EXPECT_THAT(finished.err, testing::HasSubstr(line));
}

// The fibers and wavelengths of `part` must be bit-identical to those of `whole` from fiber
// `specmin` and the first wavelength on. BAD2DFIT is excluded, because it depends on medians over
// the whole frame.
void expect_part(const std::string& part, const std::string& whole, long long specmin) {
  for (const char* hdu : {"FLUX", "IVAR", "CHI2PIX", "PIXMASK_FRACTION", "RESOLUTION", "MASK"}) {
    const HduImage a = read_image(part, hdu);
    const HduImage b = read_image(whole, hdu);
    const long long nwave = a.axes.front();
    const long long rows = static_cast<long long>(a.value.size()) / nwave;
    const long long rows_of_fiber = rows / a.axes.back();
    int different = 0;
    for (long long row = 0; row < rows; ++row)
      for (long long w = 0; w < nwave; ++w) {
        const double in_part = a.value.at(row * nwave + w);
        const double in_whole = b.value.at((row + specmin * rows_of_fiber) * b.axes.front() + w);
        if (std::string(hdu) == "MASK") {
          constexpr long long BAD2DFIT = 128;
          different += ((static_cast<long long>(in_part) ^ static_cast<long long>(in_whole)) &
                        ~BAD2DFIT) != 0;
        } else {
          different += in_part != in_whole;
        }
      }
    EXPECT_EQ(different, 0) << hdu;
  }
}

class Ranges : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const Finished run =
        run_spex_cpu(with(tiny_z(scratch.file("whole.fits")), {{"--milestone", GetParam()}}));
    ASSERT_EQ(run.status, 0) << run.err;
  }
  std::string extract(const Options& changes) {
    const std::string part = scratch.file("part.fits");
    const Finished run =
        run_spex_cpu(with(with(tiny_z(part), {{"--milestone", GetParam()}}), changes));
    EXPECT_EQ(run.status, 0) << run.err;
    return part;
  }

  const ScratchFolder scratch;
  const std::string whole = scratch.file("whole.fits");
};

TEST_P(Ranges, PartialBundleEqualsThatPartOfTheWhole) {
  const std::string part = extract({{"-s", "3"}, {"-n", "5"}});
  EXPECT_EQ(read_image(part, "FLUX").axes, (std::vector<long long>{26, 5}));
  expect_part(part, whole, 3);
}

TEST_P(Ranges, OneFiber) {
  for (const int fiber : {0, 7, 24}) {
    const std::string part = extract({{"-s", std::to_string(fiber)}, {"-n", "1"}});
    EXPECT_EQ(read_image(part, "FLUX").axes, (std::vector<long long>{26, 1}));
    expect_part(part, whole, fiber);
  }
}

TEST_P(Ranges, FromSpecminToTheEnd) {
  const std::string part = extract({{"-s", "21"}});
  EXPECT_EQ(read_image(part, "FLUX").axes.back(), 4);
  expect_part(part, whole, 21);
}

TEST_P(Ranges, OneWavelength) {
  const std::string part = extract({{"-w", "9740,9740,0.8"}});
  EXPECT_EQ(read_image(part, "FLUX").axes, (std::vector<long long>{1, 25}));
  expect_part(part, whole, 0);
}

INSTANTIATE_TEST_SUITE_P(SpexCpu, Ranges, testing::ValuesIn(cpu_milestones()));

TEST(SpexCpu, PartOverTwoBundles) {
  const ScratchFolder scratch;
  const Options all = with(tiny_b(scratch.file("whole.fits")), {{"--full-precision", ""}});
  ASSERT_EQ(run_spex_cpu(all).status, 0);
  const Options some = with(all, {{"-s", "3"}, {"-n", "4"}, {"-o", scratch.file("part.fits")}});
  ASSERT_EQ(run_spex_cpu(some).status, 0);
  expect_part(scratch.file("part.fits"), scratch.file("whole.fits"), 3);
}

}  // namespace
}  // namespace spex::test
