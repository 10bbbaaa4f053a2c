#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex {
namespace {

TEST(WaveGrid, ProductionGridOfR) {
  const WaveGrid grid = make_wave_grid(default_wave_range("r0", "preproc.fits"));
  EXPECT_EQ(grid.nwave, 2326);
  EXPECT_DOUBLE_EQ(grid.at(0), 5760);
  EXPECT_NEAR(grid.at(2325), 7620, 1e-9);
}

TEST(WaveGrid, ProductionGridsOfBAndZ) {
  EXPECT_EQ(make_wave_grid(default_wave_range("b7", "f")).nwave, 2751);
  EXPECT_EQ(make_wave_grid(default_wave_range("z0", "f")).nwave, 2881);
  EXPECT_THROW(static_cast<void>(default_wave_range("x0", "f")), Error);
  EXPECT_THROW(static_cast<void>(default_wave_range("", "f")), Error);
}

TEST(WaveGrid, CameraOrPsfSetsTheDefaultGrid) {
  Psf psf = test::make_psf({});  // 990 to 1010 Angstrom
  EXPECT_EQ(wave_range_of({}, "b7", psf).wmin, 3600);
  for (const char* other : {"x0", "", "b", "blue"}) {
    const WaveRange range = wave_range_of({}, other, psf);
    EXPECT_EQ(range.wmin, std::max({psf.wavemin, psf.xtrace.wavemin, psf.ytrace.wavemin}));
    EXPECT_EQ(range.wmax, std::min({psf.wavemax, psf.xtrace.wavemax, psf.ytrace.wavemax}));
    EXPECT_EQ(range.dw, 0.8);
  }
  for (const double factor : {0.01, 100.0, 0.0}) {
    Psf other = psf;
    for (double& c : other.ytrace.coeff) c *= factor;
    EXPECT_THROW(static_cast<void>(wave_range_of({}, "x0", other)), Error) << factor;
  }
  EXPECT_EQ(wave_range_of(WaveRange{100, 102, 1}, "x0", psf).wmax, 102);
}

TEST(WaveGrid, EndIsExclusiveAtHalfAStep) {
  EXPECT_EQ(make_wave_grid({100, 102, 1}).nwave, 3);
  EXPECT_EQ(make_wave_grid({100, 102.4, 1}).nwave, 3);
  EXPECT_EQ(make_wave_grid({100, 102.5, 1}).nwave, 3);  // 103 is not below 103
  EXPECT_EQ(make_wave_grid({100, 102.6, 1}).nwave, 4);
  EXPECT_EQ(make_wave_grid({100, 100, 0.8}).nwave, 1);
}

// numpy.arange(5760, 7620.4, 0.8) and numpy.arange(5760 / F, 7620.4 / F, 0.8 / F), F =
// 1.0000641254341616, as printed by NumPy 2.4.6. wmin + w dw differs in the last bits.
TEST(WaveGrid, IsBitIdenticalToNumpyArange) {
  const WaveGrid grid = make_wave_grid({5760, 7620, 0.8});
  EXPECT_EQ(grid.at(7), 5765.600000000001);
  EXPECT_EQ(grid.at(2325), 7620.000000000423);
  const WaveGrid seen = at_telescope(grid, 1.0000641254341616);
  EXPECT_EQ(seen.nwave, grid.nwave);
  EXPECT_EQ(seen.at(0), 5759.6306611832415);
  EXPECT_EQ(seen.at(2325), 7619.511395523268);
}

TEST(WaveGrid, PaddingContinuesTheSteps) {
  const WaveGrid grid = make_wave_grid({100, 102, 0.5});
  const std::vector<double> expected{99, 99.5, 100};
  EXPECT_EQ(grid.range(-2, 3), expected);
}

TEST(WaveGrid, BadRangesAreUsageErrors) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const WaveRange range :
       {WaveRange{102, 100, 1}, WaveRange{100, 102, 0}, WaveRange{100, 102, -1},
        WaveRange{nan, 102, 1}, WaveRange{-5, 102, 1}, WaveRange{1, 1e9, 1e-3}}) {
    try {
      static_cast<void>(make_wave_grid(range));
      ADD_FAILURE() << range.wmin << "," << range.wmax << "," << range.dw;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
}

TEST(WavePad, FractionIsTruncatedToBins) {
  EXPECT_EQ(effective_wavepad(10, 0.2), 12);
  EXPECT_EQ(effective_wavepad(10, 0.0), 10);
  EXPECT_EQ(effective_wavepad(10, 0.19), 11);
  EXPECT_EQ(effective_wavepad(0, 0.2), 0);
}

}  // namespace
}  // namespace spex
