// Parts of a frame: any specmin and nspec, one fiber, one wavelength.

#include <string>

#include <gtest/gtest.h>

#include "mpi/tests/programs/spex_cpu_runs.hpp"

namespace spex::test {
namespace {

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
