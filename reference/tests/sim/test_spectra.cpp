// The truth and its noise-free image.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/psf/spots.hpp"
#include "reference/sim/cut_psf.hpp"
#include "reference/sim/desi_psf.hpp"
#include "reference/sim/expected_image.hpp"
#include "reference/sim/sky_lines.hpp"
#include "reference/sim/spectra.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace {

using spex::Psf;
using spex::TargetKind;
using spex::Truth;

constexpr spex::WaveRange grid_r{5760, 7620, 0.8};

Psf tiny_psf() {
  return cut_psf(spex::make_desi_psf({'r', 0}), spex::SimSize::tiny, grid_r, "psf");
}

Truth truth_of(const Psf& psf, bool on_grid, int threads = 1) {
  Truth truth = make_truth_grid(psf, grid_r, on_grid, "psf");
  fill_spectra(truth, {{'r', 0}, 1, 900}, spex::make_targets(1, 0, psf.nfiber), threads);
  return truth;
}

TEST(TruthGrid, OnGridIsTheGridAndItsContinuationOverThePsfsRange) {
  const Psf psf = tiny_psf();
  const Truth truth = make_truth_grid(psf, grid_r, true, "psf");
  EXPECT_TRUE(truth.on_grid);
  EXPECT_DOUBLE_EQ(truth.dw, 0.8);
  EXPECT_EQ(std::count(truth.wave.begin(), truth.wave.end(), 5760.0), 1);
  EXPECT_EQ(std::count(truth.wave.begin(), truth.wave.end(), 5760 + 50 * 0.8), 1);
  EXPECT_GE(truth.wave.front(), psf.wavemin);
  EXPECT_LT(truth.wave.front(), psf.wavemin + 0.8);
  EXPECT_LE(truth.wave.back(), psf.wavemax);
  EXPECT_GT(truth.wave.back(), psf.wavemax - 0.8);
}

// A fiber has the same throughput in all flavors: sky divided by flat is the same for all fibers.
TEST(Flavors, AFlatRemovesTheThroughput) {
  const Psf psf = tiny_psf();
  const auto of = [&](spex::Flavor flavor) {
    Truth truth = make_truth_grid(psf, grid_r, true, "psf");
    fill_spectra(truth, {{'r', 0}, 1, 900, flavor}, spex::make_targets(1, 0, psf.nfiber), 1);
    return truth;
  };
  const Truth flat = of(spex::Flavor::flat);
  const Truth sky = of(spex::Flavor::sky);
  double unequal = 0;
  for (int s = 1; s < psf.nfiber; ++s)
    for (int w = 0; w < flat.nwave(); ++w) {
      const auto calibrated = [&](int fiber) {
        return sky.spectrum(fiber)[w] / flat.spectrum(fiber)[w];
      };
      ASSERT_NEAR(calibrated(s) / calibrated(0), 1, 1e-6);
      unequal = std::max(unequal, std::abs(flat.spectrum(s)[w] / flat.spectrum(0)[w] - 1.0));
    }
  EXPECT_GT(unequal, 0.02) << "the fibers' throughputs do not differ";

  // Lamps and sky exposures have no targets; the arc is dark between its lines.
  const Truth science = of(spex::Flavor::science);
  const Truth arc = of(spex::Flavor::arc);
  int dark = 0, bright = 0, targets = 0;
  for (int w = 0; w < arc.nwave(); ++w) {
    dark += arc.spectrum(3)[w] == 0 ? 1 : 0;
    bright += arc.spectrum(3)[w] > 1000 ? 1 : 0;
    for (int s = 0; s < psf.nfiber; ++s) targets += science.spectrum(s)[w] > sky.spectrum(s)[w];
  }
  EXPECT_GT(dark, arc.nwave() / 2);
  EXPECT_GT(bright, 0);
  EXPECT_GT(targets, 0);
}

TEST(TruthGrid, IsFinerIfNotOnGrid) {
  const Truth truth = make_truth_grid(tiny_psf(), grid_r, false, "psf");
  EXPECT_FALSE(truth.on_grid);
  EXPECT_LE(truth.dw, 0.4);
}

TEST(TruthGrid, RejectsAPsfOfOtherWavelengths) {
  EXPECT_THROW(static_cast<void>(make_truth_grid(tiny_psf(), {3600, 5000, 0.8}, true, "psf")),
               spex::Error);
}

TEST(Spectra, HoldTheSameElectronsOnAnyGrid) {
  const Psf psf = tiny_psf();
  const Truth coarse = truth_of(psf, true);
  const Truth fine = truth_of(psf, false);
  // Around the sodium lines, with edges in continuum of equal height.
  const auto electrons = [](const Truth& truth, int s) {
    double sum = 0;
    for (int w = 0; w < truth.nwave(); ++w) {
      const double lambda = truth.wave[w];
      if (lambda > 5870.2 && lambda < 5909.8)
        sum += static_cast<double>(truth.spectrum(s)[w]) * truth.dw;
    }
    return sum;
  };
  for (int s = 0; s < psf.nfiber; ++s)
    EXPECT_NEAR(electrons(coarse, s) / electrons(fine, s), 1, 0.03) << s;
}

TEST(Spectra, AreFiniteAndPositiveAndShowTheSkyInEveryFiber) {
  const Truth truth = truth_of(tiny_psf(), true);
  EXPECT_TRUE(std::all_of(truth.flux.begin(), truth.flux.end(),
                          [](float f) { return std::isfinite(f) && f > 0; }));
  const auto line = std::find_if(truth.wave.begin(), truth.wave.end(),
                                 [](double lambda) { return std::abs(lambda - 5890) < 0.41; });
  const auto w = line - truth.wave.begin();
  const auto targets = spex::make_targets(1, 0, truth.nfiber);
  for (int s = 0; s < truth.nfiber; ++s) {
    const bool faint = targets[s].level < 500;
    if (faint) {
      EXPECT_GT(truth.spectrum(s)[w], 3 * truth.spectrum(s)[w - 12]) << s;
    }
  }
}

TEST(Spectra, DoNotDependOnThreads) {
  const Psf psf = tiny_psf();
  EXPECT_EQ(truth_of(psf, false, 1).flux, truth_of(psf, false, 3).flux);
}

TEST(SkyLines, AreSortedAndDenserInTheRed) {
  const auto lines = spex::sky_lines();
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return a.wavelength < b.wavelength;
  }));
  const auto count = [&](double low, double high) {
    return std::count_if(lines.begin(), lines.end(), [&](const auto& line) {
      return line.wavelength >= low && line.wavelength < high;
    });
  };
  EXPECT_GT(count(7520, 9824), 60);
  EXPECT_LT(count(3600, 5800), 20);
}

TEST(Targets, HaveSkyFibersAStandardAndGalaxiesInEveryBundle) {
  const auto targets = spex::make_targets(5, 1000, 500);
  ASSERT_EQ(targets.size(), 500U);
  int bright = 0;
  for (int bundle = 0; bundle < 20; ++bundle) {
    const auto count = [&](TargetKind kind) {
      const auto first = targets.begin() + bundle * 25;
      return std::count_if(first, first + 25, [&](const auto& t) { return t.kind == kind; });
    };
    EXPECT_GE(count(TargetKind::sky), 2);
    EXPECT_LE(count(TargetKind::sky), 3);
    EXPECT_EQ(count(TargetKind::standard_star), 1);
    EXPECT_GE(count(TargetKind::galaxy), 20);
    bright += static_cast<int>(count(TargetKind::bright_star));
  }
  EXPECT_EQ(bright, 5);
  EXPECT_EQ(targets[7].fiber, 1007);
  EXPECT_NE(targets[7].ra, spex::make_targets(6, 1000, 500)[7].ra);
}

// One spot at a time, each pixel explicitly.
std::vector<double> image_by_hand(const Psf& psf, const Truth& truth) {
  std::vector<double> image(psf.npix_x * psf.npix_y, 0.0);
  for (int s = 0; s < psf.nfiber; ++s) {
    const spex::Spots spots = evaluate_spots(psf, s, 1, truth.wave);
    for (int w = 0; w < truth.nwave(); ++w)
      for (int i = 0; i < spots.nx * spots.ny; ++i) {
        const int x = spots.xc[w] + i % spots.nx;
        const int y = spots.yc[w] + i / spots.nx;
        if (x < 0 || x >= psf.npix_x || y < 0 || y >= psf.npix_y) continue;
        image[y * psf.npix_x + x] +=
            static_cast<double>(truth.spectrum(s)[w]) * truth.dw * spots.spot(0, w)[i];
      }
  }
  return image;
}

TEST(ExpectedImage, IsTheSumOfSpotsWithLightOffTheCcdLost) {
  // Seven fibers, more than a strip; the traces leave the CCD on all four sides.
  Psf psf = spex::test::make_psf({.nfiber = 7, .nx = 40, .ny = 60, .x_first = 1});
  Truth truth;
  truth.dw = 0.5;
  truth.nfiber = psf.nfiber;
  for (int w = 0; w < 200; ++w) truth.wave.push_back(950 + 0.5 * w);
  for (int i = 0; i < 200 * psf.nfiber; ++i) truth.flux.push_back(static_cast<float>(1 + i % 17));
  const auto expected = image_by_hand(psf, truth);
  const auto image = expected_image(psf, truth, 1);
  ASSERT_EQ(image.size(), expected.size());
  for (std::size_t p = 0; p < image.size(); ++p) ASSERT_NEAR(image[p], expected[p], 1e-10);
  EXPECT_GT(*std::max_element(image.begin(), image.end()), 1);
  EXPECT_EQ(image, expected_image(psf, truth, 2));
  EXPECT_EQ(image, expected_image(psf, truth, 4));
}

TEST(ExpectedImage, ConservesElectronsOnTheCcd) {
  const Psf psf = tiny_psf();
  Truth truth = truth_of(psf, true);
  double electrons = 0;
  for (int s = 0; s < truth.nfiber; ++s)
    for (int w = 0; w < truth.nwave(); ++w) {
      const double lambda = truth.wave[w];
      float& flux = truth.flux[s * truth.nwave() + w];
      if (lambda < 5765 || lambda > 5880) flux = 0;  // the rest is well inside the CCD
      electrons += static_cast<double>(flux) * truth.dw;
    }
  const auto image = expected_image(psf, truth, 2);
  EXPECT_GT(electrons, 1e5);
  EXPECT_NEAR(std::accumulate(image.begin(), image.end(), 0.0) / electrons, 1, 1e-12);
}

}  // namespace
