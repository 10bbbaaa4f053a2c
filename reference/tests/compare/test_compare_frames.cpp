#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "reference/compare/compare_frames.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/compare/comparisons.hpp"
#include "reference/tests/support/special_numbers.hpp"
#include "spex_test_paths.hpp"

namespace spex::test {
namespace {

using test::inf;
using test::nan;

const FrameFile& expected() {
  static const FrameFile file = store(make_frame());
  return file;
}

TEST(CompareFrames, ReportsWhereFluxSolversDiffer) {
  FrameFile patch = expected();
  patch.nwavestep = 10;
  FrameFile frame = expected();
  EXPECT_FALSE(compare_frames(frame, patch, tolerance()).solvers);
  frame.flux_solver = "frame";
  const std::vector<double> ivar = values(frame, "IVAR");
  for (int s = 0; s < nspec; ++s)
    for (const int w : {9, 10, 19, 20, 29, 30, 39})  // 0 is the end of the grid
      values(frame, "FLUX")[at(s, w)] += 0.5 / std::sqrt(ivar[at(s, w)]);
  const Comparison comparison = compare_frames(frame, patch, tolerance());
  EXPECT_FALSE(comparison.ok());
  ASSERT_TRUE(comparison.solvers);
  EXPECT_EQ(comparison.solvers->result, "frame");
  EXPECT_EQ(comparison.solvers->expected, "patch");
  EXPECT_EQ(comparison.solvers->nwavestep, 10);
  EXPECT_NEAR(comparison.solvers->at_edges, 0.5, 1e-9);
  EXPECT_EQ(comparison.solvers->elsewhere, 0);
}

// The first failure after a change to the expected frame.
std::string found(const std::function<void(FrameFile&)>& change,
                  const Tolerance& limits = tolerance()) {
  FrameFile result = expected();
  change(result);
  return first_bad(compare_frames(result, expected(), limits));
}

template <class T>
void drop(std::vector<T>& hdus, const std::string& name) {
  std::erase_if(hdus, [&](const T& hdu) { return hdu.name == name; });
}

TEST(CompareFrames, EqualFramesPassEveryTolerance) {
  for (const char* name : {"production", "masked", "unpadded", "identical"}) {
    const Comparison comparison = compare_frames(expected(), expected(), read_tolerance(name));
    EXPECT_TRUE(comparison.ok()) << name;
    EXPECT_EQ(comparison.compared, nspec * nwave);
  }
  EXPECT_EQ(found([](FrameFile&) {}), "ok");
}

TEST(CompareFrames, NonFiniteValueFailsInEveryImage) {
  for (const char* hdu : {"FLUX", "IVAR", "CHI2PIX", "PIXMASK_FRACTION"})
    for (const double value : {nan, inf, -inf})
      EXPECT_EQ(found([&](FrameFile& f) { values(f, hdu)[at(2, 7)] = value; }), bin(hdu, 2, 7));
  EXPECT_EQ(found([](FrameFile& f) { values(f, "RESOLUTION")[at(2, 1, 7)] = nan; }),
            bin("RESOLUTION", 2, 7));
  EXPECT_EQ(found([](FrameFile& f) { values(f, "IVAR")[at(2, 7)] = -1e-3; }), bin("IVAR", 2, 7));
}

TEST(CompareFrames, NanFailsEvenInExcludedBins) {
  FrameFile golden_frame = expected();
  values(golden_frame, "IVAR")[at(1, 1)] = 0;
  FrameFile result = golden_frame;
  values(result, "FLUX")[at(1, 1)] = nan;
  EXPECT_EQ(first_bad(compare_frames(result, golden_frame, golden())), bin("FLUX", 1, 1));
}

TEST(CompareFrames, NanInTheExpectedFrameFailsInComparedBins) {
  FrameFile broken = expected();
  values(broken, "FLUX")[at(1, 1)] = inf;
  EXPECT_EQ(first_bad(compare_frames(expected(), broken, tolerance())), bin("FLUX", 1, 1));
}

TEST(CompareFrames, DroppedFiberFails) {
  Frame fewer = make_frame();
  fewer.nspec -= 1;
  for (auto* array : {&fewer.flux, &fewer.ivar, &fewer.chi2pix, &fewer.pixmask_fraction})
    array->resize(fewer.nbins());
  fewer.mask.resize(fewer.nbins());
  fewer.resolution.visit([&](auto& resolution) {
    resolution.resize(fewer.nbins() * static_cast<std::size_t>(fewer.ndiagonals()));
  });
  const Comparison comparison = compare_frames(store(fewer), expected(), tolerance());
  EXPECT_EQ(first_bad(comparison), "FLUX: ");
  EXPECT_EQ(describe_failure(*first_failure(comparison)),
            "FLUX: has shape 5 x 40 (expected 6 x 40)");
}

TEST(CompareFrames, EachMissingHduFails) {
  for (const char* hdu : {"FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION", "CHI2PIX"})
    EXPECT_EQ(found([&](FrameFile& f) { drop(f.images, hdu); }), std::string(hdu) + ": ");
  EXPECT_EQ(found([](FrameFile& f) { drop(f.tables, "FIBERMAP"); }), "FIBERMAP: ");
  // Only --full-precision writes it.
  EXPECT_EQ(found([](FrameFile& f) { drop(f.images, "PIXMASK_FRACTION"); }), "ok");
}

TEST(CompareFrames, ShiftByOneBinFails) {
  const auto shift = [](FrameFile& f) {
    std::vector<double>& flux = values(f, "FLUX");
    std::rotate(flux.begin(), flux.begin() + 1, flux.end());
  };
  EXPECT_EQ(found(shift), bin("FLUX", 0, 0));
}

TEST(CompareFrames, WrongWavelengthsFail) {
  const auto shift = [](FrameFile& f) {
    for (double& wave : values(f, "WAVELENGTH")) wave += 2e-6;
  };
  EXPECT_EQ(found(shift), "WAVELENGTH: 6000.00 A (bin 0)");
  EXPECT_EQ(found([](FrameFile& f) { values(f, "WAVELENGTH")[5] += 5e-7; }), "ok");
}

TEST(CompareFrames, WrongIvarFails) {
  const auto scale = [](double by) {
    return [by](FrameFile& f) { values(f, "IVAR")[at(4, 9)] *= 1 + by; };
  };
  EXPECT_EQ(found(scale(2e-4)), bin("IVAR", 4, 9));
  EXPECT_EQ(found(scale(-2e-4)), bin("IVAR", 4, 9));
  EXPECT_EQ(found(scale(0.5e-4)), "ok");
}

TEST(CompareFrames, LostBinFails) {
  EXPECT_EQ(found([](FrameFile& f) { values(f, "IVAR")[at(4, 9)] = 0; }), bin("IVAR", 4, 9));
}

TEST(CompareFrames, AllZeroOutputFails) {
  const auto zero = [](FrameFile& f) {
    for (FrameImage& image : f.images)
      if (image.name != "WAVELENGTH") std::fill(image.value.begin(), image.value.end(), 0.0);
  };
  EXPECT_EQ(found(zero), bin("IVAR", 0, 0));
}

TEST(CompareFrames, NothingToCompareFails) {
  FrameFile empty = expected();
  std::fill(values(empty, "IVAR").begin(), values(empty, "IVAR").end(), 0.0);
  EXPECT_EQ(first_bad(compare_frames(empty, empty, tolerance())), "IVAR: ");
}

TEST(CompareFrames, SwappedBundlesFail) {
  const auto swap_halves = [](std::vector<double>& v) {
    std::rotate(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  };
  const auto swap = [&](FrameFile& f) {
    for (FrameImage& image : f.images)
      if (image.name != "WAVELENGTH") swap_halves(image.value);
  };
  EXPECT_EQ(found(swap), bin("FLUX", 0, 0));
  const auto swap_fibers = [](FrameFile& f) {
    std::vector<std::int64_t>& fiber = f.tables.front().fiber;
    std::rotate(fiber.begin(), fiber.begin() + nspec / 2, fiber.end());
  };
  EXPECT_EQ(found(swap_fibers), "FIBERMAP: fiber 20");
}

TEST(CompareFrames, FluxPullIsLimited) {
  const auto move = [](double pulls) {
    return [pulls](FrameFile& f) {
      values(f, "FLUX")[at(3, 11)] += pulls / std::sqrt(values(f, "IVAR")[at(3, 11)]);
    };
  };
  EXPECT_EQ(found(move(2e-3)), bin("FLUX", 3, 11));
  EXPECT_EQ(found(move(-2e-3)), bin("FLUX", 3, 11));
  EXPECT_EQ(found(move(0.5e-3)), "ok");
}

TEST(CompareFrames, ResolutionElementAndTransposeFail) {
  const auto one = [](double by) {
    return [by](FrameFile& f) { values(f, "RESOLUTION")[at(5, 4, 38)] += by; };
  };
  EXPECT_EQ(found(one(2e-5)), bin("RESOLUTION", 5, 38));
  EXPECT_EQ(found(one(0.5e-5)), "ok");
  // Row w instead of column w: [d][w] becomes [2 ndiag - d][w - ndiag + d].
  const auto transpose = [](FrameFile& f) {
    std::vector<double>& R = values(f, "RESOLUTION");
    const std::vector<double> old = R;
    for (int s = 0; s < nspec; ++s)
      for (int d = 0; d <= 2 * ndiag; ++d)
        for (int w = 0; w < nwave; ++w) {
          const int row = w - ndiag + d;
          if (row >= 0 && row < nwave) R[at(s, d, w)] = old[at(s, 2 * ndiag - d, row)];
        }
  };
  EXPECT_EQ(found(transpose), bin("RESOLUTION", 0, 0));
}

TEST(CompareFrames, MaskBitChi2pixAndPixmaskFail) {
  EXPECT_EQ(found([](FrameFile& f) { values(f, "MASK")[at(2, 3)] += 128; }), bin("MASK", 2, 3));
  EXPECT_EQ(found([](FrameFile& f) { values(f, "CHI2PIX")[at(2, 3)] *= 1.002; }),
            bin("CHI2PIX", 2, 3));
  EXPECT_EQ(found([](FrameFile& f) { values(f, "PIXMASK_FRACTION")[at(2, 3)] += 2e-5; }),
            bin("PIXMASK_FRACTION", 2, 3));
}

// A golden without MASK and FIBERMAP, with NaN in CHI2PIX, the resolution of its first fibers only,
// and ivar 0 where its program dropped a patch.
TEST(CompareFrames, GoldenIsComparedWhereItHasData) {
  FrameFile frame = expected();
  drop(frame.images, "MASK");
  drop(frame.tables, "FIBERMAP");
  values(frame, "CHI2PIX")[at(0, 0)] = nan;
  values(frame, "IVAR")[at(1, 1)] = 0;
  for (FrameImage& image : frame.images)
    if (image.name == "RESOLUTION") {
      image.shape[0] = 2;
      image.value.resize(image.value.size() / nspec * 2);
    }
  FrameFile result = expected();
  values(result, "RESOLUTION")[at(1, 1, 1)] += 1;  // in a bin that is not compared
  values(result, "FLUX")[at(1, 1)] += 1;
  const Comparison comparison = compare_frames(result, frame, golden());
  EXPECT_EQ(first_bad(comparison), "ok");
  EXPECT_EQ(comparison.not_expected, 1);
  EXPECT_EQ(comparison.compared, nspec * nwave - 1);
  values(result, "RESOLUTION")[at(1, 1, 2)] += 1;
  EXPECT_EQ(first_bad(compare_frames(result, frame, golden())), bin("RESOLUTION", 1, 2));
  EXPECT_THROW((void)compare_frames(result, frame, tolerance()), Error);
}

TEST(CompareFrames, TinyIvarOffTheCcdIsExcludedForGoldensOnly) {
  FrameFile frame = expected();
  FrameFile result = expected();
  values(frame, "IVAR")[at(1, 39)] = 1e-10;  // the median is 1e-3
  values(result, "IVAR")[at(1, 39)] = 0;
  values(result, "PIXMASK_FRACTION")[at(1, 39)] = 1;
  drop(frame.images, "MASK");
  const Comparison comparison = compare_frames(result, frame, golden());
  EXPECT_EQ(first_bad(comparison), "ok");
  EXPECT_EQ(comparison.off_ccd, 1);
  EXPECT_EQ(first_bad(compare_frames(result, frame, tolerance())), bin("IVAR", 1, 39));

  FrameFile lit = result;
  values(lit, "PIXMASK_FRACTION")[at(1, 39)] = 0.999;
  EXPECT_EQ(first_bad(compare_frames(lit, frame, golden())), bin("IVAR", 1, 39));
  FrameFile larger = frame;
  values(larger, "IVAR")[at(1, 39)] = 1e-8;
  EXPECT_EQ(first_bad(compare_frames(result, larger, golden())), bin("IVAR", 1, 39));
  // Without PIXMASK_FRACTION the mask decides.
  drop(result.images, "PIXMASK_FRACTION");
  EXPECT_EQ(first_bad(compare_frames(result, frame, golden())), bin("IVAR", 1, 39));
  values(result, "MASK")[at(1, 39)] = 3;
  EXPECT_EQ(first_bad(compare_frames(result, frame, golden())), "ok");
}

TEST(CompareFrames, Float32RoundingIsAllowedAndNoMore) {
  // At a signal-to-noise ratio of 30000 one unit in the last place of a float32 is a pull of 3e-3.
  Frame bright = make_frame();
  for (double& ivar : bright.ivar) ivar *= 1e6;
  const FrameFile b = store(bright, false);
  Frame moved = bright;
  for (std::size_t j = 0; j < bright.nbins(); ++j) moved.flux[j] *= 1 + 1e-12;
  const FrameFile a = store(moved, false);
  ASSERT_TRUE(a.image("FLUX")->float32);
  const Tolerance production = read_tolerance("production");
  EXPECT_TRUE(compare_frames(a, b, production).ok());

  // Rounding to the other neighbor is the largest error of storage, and must pass.
  FrameFile next = b;
  for (double& flux : values(next, "FLUX"))
    flux = std::nextafter(static_cast<float>(flux), std::numeric_limits<float>::infinity());
  const Comparison rounded = compare_frames(next, b, production);
  EXPECT_TRUE(rounded.ok());
  const auto flux_check = std::find_if(rounded.checks.begin(), rounded.checks.end(),
                                       [](const Check& check) { return check.hdu == "FLUX"; });
  EXPECT_GT(flux_check->largest, production.flux_pull);
  EXPECT_LE(flux_check->beyond_rounding, production.flux_pull);

  // Twice that error, or one unit between float64 files, must fail.
  FrameFile far = b;
  for (double& flux : values(far, "FLUX")) flux *= 1 + 2.5 * std::numeric_limits<float>::epsilon();
  EXPECT_EQ(first_bad(compare_frames(far, b, production)), bin("FLUX", 0, 0));
  FrameFile a8 = next;
  FrameFile b8 = b;
  for (FrameFile* file : {&a8, &b8})
    for (FrameImage& image : file->images) image.float32 = false;
  EXPECT_EQ(first_bad(compare_frames(a8, b8, production)), bin("FLUX", 0, 0));
}

TEST(CompareFrames, IdenticalSeesTheSmallestChangeOfAnyHdu) {
  const Tolerance identical = read_tolerance("identical");
  for (const char* hdu : {"FLUX", "IVAR", "CHI2PIX", "PIXMASK_FRACTION"})
    EXPECT_EQ(found(
                  [&](FrameFile& f) {
                    double& value = values(f, hdu)[at(2, 7)];
                    value = std::nextafter(value, 1e9);
                  },
                  identical),
              bin(hdu, 2, 7));
  EXPECT_EQ(found([](FrameFile& f) { values(f, "MASK")[at(2, 7)] += 1; }, identical),
            bin("MASK", 2, 7));
  EXPECT_EQ(found([](FrameFile& f) { drop(f.images, "PIXMASK_FRACTION"); }, identical),
            "PIXMASK_FRACTION: ");
  EXPECT_EQ(found([](FrameFile& f) { f.tables.front().rows[9] ^= 1; }, identical),
            "FIBERMAP: fiber 22");  // four bytes per row
  EXPECT_EQ(found(
                [](FrameFile& f) {
                  f.images.push_back({"MORE", {1}, false, {0}});
                },
                identical),
            "MORE: ");
}

TEST(CompareFrames, InvalidExpectedFrameIsAnError) {
  for (const char* hdu : {"FLUX", "IVAR", "WAVELENGTH", "RESOLUTION"}) {
    FrameFile broken = expected();
    drop(broken.images, hdu);
    EXPECT_THROW((void)compare_frames(expected(), broken, tolerance()), Error) << hdu;
  }
}

// Each golden passes against itself, after adding the HDUs of a result, and fails against the other
// goldens.
TEST(CompareFrames, GoldenFramesOfOtherCasesFail) {
  const std::string folder = std::string(SPEX_SOURCE_DIR) + "/golden/";
  const std::string cases = folder + "cases.json";
  const FrameFile tiny_z = read_frame(folder + "tiny-z/frame-tiny-z.fits");
  const FrameFile tiny_b = read_frame(folder + "tiny-b/frame-tiny-b.fits");
  const auto as_result = [](FrameFile file) {
    const FrameShape shape = *frame_shape(file);
    file.images.push_back({"MASK", shape.bins(), false,
                           std::vector<double>(static_cast<std::size_t>(shape.nbins()))});
    file.tables.push_back({"FIBERMAP", {"FIBER J"}, shape.nspec, {}, {}});
    std::replace_if(
        values(file, "CHI2PIX").begin(), values(file, "CHI2PIX").end(),
        [](double v) { return !std::isfinite(v); }, 0.0);
    return file;
  };
  EXPECT_EQ(first_bad(compare_frames(as_result(tiny_z), tiny_z, read_tolerance(cases + ":tiny-z"))),
            "ok");
  EXPECT_EQ(first_bad(compare_frames(as_result(tiny_b), tiny_z, read_tolerance(cases + ":tiny-z"))),
            "FLUX: ");
}

TEST(CompareFrames, PixmaskFractionIsComparedInEveryBin) {
  FrameFile expected = store(make_frame());
  values(expected, "IVAR")[at(2, 3)] = 0;
  FrameFile result = expected;
  values(result, "PIXMASK_FRACTION")[at(2, 3)] += 2e-5;
  EXPECT_EQ(first_bad(compare_frames(result, expected, tolerance())),
            bin("PIXMASK_FRACTION", 2, 3));
  EXPECT_EQ(first_bad(compare_frames(result, expected, golden())), "ok");
}

}  // namespace
}  // namespace spex::test
