// The synthetic PSF: its documented geometry, and cuts that preserve the light.

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/psf/spots.hpp"
#include "reference/sim/cut_psf.hpp"
#include "reference/sim/desi_psf.hpp"

namespace {

using spex::Psf;
using spex::SimSize;
using spex::spot_center;

class DesiPsf : public testing::TestWithParam<char> {
 protected:
  [[nodiscard]] spex::WaveRange grid() const {
    return spex::default_wave_range(std::string(1, GetParam()) + "0", "");
  }
  Psf psf = spex::make_desi_psf({GetParam(), 3});
};

TEST_P(DesiPsf, HasTheGeometryOfACamera) {
  EXPECT_EQ(psf.nfiber, 500);
  EXPECT_EQ(psf.fibermin, 1500);
  EXPECT_EQ(psf.ghdegx, 6);
  EXPECT_EQ(psf.nx(), 17);
  EXPECT_EQ(psf.ny(), 11);
  EXPECT_EQ(psf.npix_y, GetParam() == 'b' ? 4096 : 4128);
  const double middle = (psf.wavemin + psf.wavemax) / 2;
  const auto x = [&](int s) { return spot_center(psf, s, middle).x; };
  const auto y = [&](int s) { return spot_center(psf, s, middle).y; };
  EXPECT_NEAR(x(1) - x(0), 7.3, 0.1);
  EXPECT_NEAR(x(25) - x(24), 20, 0.1);
  EXPECT_NEAR(std::max(y(0), y(499)) - y(250), 100, 5);
}

TEST_P(DesiPsf, KeepsTheGridOfTheExtractionOnTheCcd) {
  for (int s = 0; s < psf.nfiber; s += 83)
    for (const double lambda : {grid().wmin, grid().wmax}) {
      const spex::Center center = spot_center(psf, s, lambda);
      EXPECT_GT(center.x, psf.hsizex) << s;
      EXPECT_LT(center.x, psf.npix_x - psf.hsizex) << s;
      EXPECT_GT(center.y, 50) << s;
      EXPECT_LT(center.y, psf.npix_y - 50) << s;
    }
}

TEST_P(DesiPsf, HasCompactSpotsOfAboutOnePixelEverywhere) {
  for (int s = 0; s < psf.nfiber; s += 83) {
    const spex::Spots spots =
        evaluate_spots(psf, s, 1, {psf.wavemin, (psf.wavemin + psf.wavemax) / 2, psf.wavemax});
    for (int w = 0; w < spots.nwave; ++w) {
      const double* spot = spots.spot(0, w);
      const double peak = *std::max_element(spot, spot + spots.nx * spots.ny);
      EXPECT_GT(peak, 0.08);
      EXPECT_LT(peak, 0.20);
      EXPECT_LT(spot[0] + spot[spots.nx - 1], 1e-3);  // corners
    }
  }
}

TEST_P(DesiPsf, DiffersFromSpectrographToSpectrograph) {
  EXPECT_NE(psf.param, spex::make_desi_psf({GetParam(), 4}).param);
  EXPECT_EQ(psf.param, spex::make_desi_psf({GetParam(), 3}).param);
}

TEST_P(DesiPsf, TinyHasTheSameSpotsShifted) {
  const Psf tiny = cut_psf(psf, SimSize::tiny, grid(), "psf");
  EXPECT_EQ(tiny.nfiber, 25);
  EXPECT_EQ(tiny.npix_y, 300);
  EXPECT_LT(tiny.npix_x, 250);
  const double shift_x = spot_center(psf, 0, grid().wmin).x - spot_center(tiny, 0, grid().wmin).x;
  const double shift_y = spot_center(psf, 0, grid().wmin).y - spot_center(tiny, 0, grid().wmin).y;
  EXPECT_NEAR(shift_x, std::round(shift_x), 1e-8);
  EXPECT_NEAR(shift_y, std::round(shift_y), 1e-8);
  const std::vector<double> wave{tiny.wavemin, grid().wmin + 33.3, tiny.wavemax};
  const spex::Spots all = evaluate_spots(psf, 0, 25, wave);
  const spex::Spots cut = evaluate_spots(tiny, 0, 25, wave);
  for (std::size_t i = 0; i < all.xc.size(); ++i) {
    EXPECT_EQ(all.xc[i] - cut.xc[i], std::lround(shift_x));
    EXPECT_EQ(all.yc[i] - cut.yc[i], std::lround(shift_y));
  }
  for (std::size_t i = 0; i < all.value.size(); ++i) ASSERT_NEAR(all.value[i], cut.value[i], 1e-9);
}

TEST_P(DesiPsf, TinyStartsWithTheGridAndLightLeavesBothEnds) {
  const Psf tiny = cut_psf(psf, SimSize::tiny, grid(), "psf");
  for (const int s : {0, 12, 24}) {
    EXPECT_GT(spot_center(tiny, s, grid().wmin).y, 25);
    EXPECT_LT(spot_center(tiny, s, grid().wmin).y, 60);
    EXPECT_LT(spot_center(tiny, s, tiny.wavemin).y, -tiny.hsizey);
    EXPECT_GT(spot_center(tiny, s, tiny.wavemax).y, tiny.npix_y + tiny.hsizey);
  }
}

INSTANTIATE_TEST_SUITE_P(Arms, DesiPsf, testing::Values('b', 'r', 'z'),
                         [](const auto& arm) { return std::string(1, arm.param); });

TEST(CutPsf, RejectsTinyIfTheGridStartsOutsideOfTheCcd) {
  const Psf psf = spex::make_desi_psf({'r', 0});
  EXPECT_THROW(static_cast<void>(cut_psf(psf, SimSize::tiny, {3600, 5800, 0.8}, "psf")),
               spex::Error);
}

}  // namespace
