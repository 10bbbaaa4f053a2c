#include <climits>
#include <random>

#include "gpu/extract/batch/quality.hpp"
#include "gpu/extract/normal_equations/pixel_sums.hpp"
#include "gpu/tests/stage_test.hpp"
#include "reference/extract/quality.hpp"

namespace spex::gpu {
namespace {

constexpr double psf_error = 0.03;

// A solution f of every patch, partly negative, with q and the good fraction of every bin.
class Quality : public test::StageTest {
 protected:
  void prepare() {
    load();
    all = batch();
    const int nslots = frame->max_fibers() + 1;
    strides = {23 * nslots + 1, 1, nslots};  // in wavelength order
    const std::size_t size = count_of(all.count, strides.of_patch);
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> electrons(-50, 500);
    std::vector<double> values(size, std::nan(""));
    for (int k = 0; k < all.count; ++k)
      for (int s = 0; s < all.patch(k).nspec; ++s)
        for (int w = 0; w < 23; ++w)
          values[strides.patch(k) + strides.bin(s, w)] = electrons(random);
    f = to_device(values);
    vectors = poisoned<double>(3 * size);
    double* q = vectors.get() + size;
    project_pixels(all.view(), {strides, vectors.get(), q, q + size}, stream());
    solution = {strides, f.get(), q, q + size};
    host_f = values;
  }
  // f of patch k, spectrum-major.
  [[nodiscard]] std::vector<double> f_of(int k) const {
    std::vector<double> values;
    for (int s = 0; s < all.patch(k).nspec; ++s)
      for (int w = 0; w < 23; ++w) values.push_back(host_f[strides.patch(k) + strides.bin(s, w)]);
    return values;
  }

  PatchBatch all;
  BinStrides strides;
  DeviceBuffer<double> f, vectors;
  std::vector<double> host_f;
  SolutionView solution;
};

// A CCD with more rows than a block handles, and with rows that no spot reaches.
TEST_F(Quality, RowBinsCoverTheSpotsThatReachEachRow) {
  psf = spex::test::make_psf(
      {.nfiber = 11, .nx = 70, .ny = 2100, .x_first = -5, .y_middle = 1024, .y_per_bin = 1.7});
  pixels = spex::test::make_pixels_of_noise(70, 2100);
  load();
  const RowBinsView view = frame->rows();
  const int nspec = psf.nfiber;
  const std::vector<RowBins> rows =
      gpu::to_host<RowBins>(view.rows, count_of(nspec, view.ny_ccd), stream());
  const int begin = patches.front().padded_wave_first();
  const int nwave = patches.back().padded_wave_first() + patches.back().padded_nwave() - begin;
  const spex::Spots spots = spex::evaluate_spots(psf, 0, nspec, grid.range(begin, nwave));
  ASSERT_EQ(view.ny_ccd, pixels.ny);
  int empty = 0;
  for (int s = 0; s < nspec; ++s)
    for (int y = 0; y < pixels.ny; ++y) {
      RowBins expected{INT_MAX, 0, INT_MAX, 0};
      for (int w = 0; w < nwave; ++w) {
        const int xc = spots.xc[spots.index(s, w)], yc = spots.yc[spots.index(s, w)];
        if (y < yc || y >= yc + psf.ny()) continue;
        expected = {std::min(expected.first, w), w + 1, std::min(expected.x0, xc),
                    std::max(expected.x1, xc + psf.nx())};
      }
      empty += expected.last == 0 ? 1 : 0;
      const RowBins& found = rows[count_of(s, pixels.ny) + static_cast<std::size_t>(y)];
      EXPECT_EQ((std::vector<int>{found.first, found.last, found.x0, found.x1}),
                (std::vector<int>{expected.first, expected.last, expected.x0, expected.x1}))
          << "fiber " << s << ", row " << y;
    }
  EXPECT_GT(empty, 0) << "no row without a spot: the test does not test";
}

// Both rules for counted pixels; they differ because the solution has negative bins.
TEST_F(Quality, CoreBinsAgreeWithTheReference) {
  prepare();
  const DeviceBuffer<double> work = poisoned<double>(count_of(all.count, all.npixel));
  int unconstrained = 0;
  int differ = 0;
  for (const Chi2Pixels counted : {Chi2Pixels::weighted, Chi2Pixels::bright}) {
    find_quality(all.view(), solution, psf_error, counted, work.get(), stream());
    const std::vector<PatchResult> results = frame->download();
    for (int k = 0; k < all.count; ++k) {
      const test::ReferencePatch patch(inputs(), patches[k]);
      const std::vector<double> q = assemble_sparse(patch.spots(), patch.pixels()).q;
      const auto by = [&](Chi2Pixels rule) {
        return chi2pix(patch.spots(), patch.spots(), patch.pixels(), f_of(k), psf_error, rule);
      };
      const std::vector<double> chi2 = by(counted);
      const std::vector<double> other = by(Chi2Pixels::weighted);
      const std::vector<double> masked = pixmask_fraction(patch.spots(), patch.pixels());
      const PatchResult& result = results[k];
      for (int s = 0; s < result.nspec; ++s)
        for (int w = 0; w < result.nwave; ++w) {
          const std::size_t at = count_of(s, result.nwave) + w;
          const std::size_t j = patch.core_bin(s, w);
          const bool constrained = q[j] != 0;
          unconstrained += constrained ? 0 : 1;
          differ += constrained && std::abs(chi2[j] - other[j]) > 1e-3 * other[j] ? 1 : 0;
          EXPECT_NEAR(result.chi2pix[at], constrained ? chi2[j] : 0, 1e-11 * (1 + chi2[j]))
              << "patch " << k << ", bin " << j;
          EXPECT_NEAR(result.pixmask_fraction[at], constrained ? masked[j] : 1, 1e-13)
              << "patch " << k << ", bin " << j;
        }
    }
  }
  EXPECT_GT(unconstrained, 0) << "no bin without a pixel: the test does not test";
  EXPECT_GT(differ, 0) << "no pixel without light: the rules do not differ";
  EXPECT_EQ(gpu::to_host<int>(all.status(), count_of(all.count), stream()),
            std::vector<int>(count_of(all.count), 0));
}

TEST_F(Quality, OverflowFailsOnlyItsPatch) {
  prepare();
  host_f[strides.patch(1) + strides.bin(0, 11)] = 1e200;
  f = to_device(host_f);
  solution.f = f.get();
  const DeviceBuffer<double> work = poisoned<double>(count_of(all.count, all.npixel));
  find_quality(all.view(), solution, 0, Chi2Pixels::weighted, work.get(), stream());
  std::vector<int> expected(count_of(all.count), 0);
  expected[1] = 1;
  EXPECT_EQ(gpu::to_host<int>(all.status(), expected.size(), stream()), expected);
}

TEST_F(Quality, CoreModelAgreesWithTheReference) {
  prepare();
  const DeviceBuffer<double> model = poisoned<double>(count_of(all.count, all.npixel));
  find_core_model(all.view(), solution, model.get(), stream());
  const std::vector<double> models = to_host(model);
  for (int k = 0; k < all.count; ++k) {
    const test::ReferencePatch patch(inputs(), patches[k]);
    const std::vector<double> q = assemble_sparse(patch.spots(), patch.pixels()).q;
    const std::vector<double> values = f_of(k);
    std::vector<double> core(values.size(), 0.0);
    for (int s = 0; s < patch.patch().nspec; ++s)
      for (int w = 0; w < patch.patch().nkept; ++w) {
        const std::size_t j = patch.core_bin(s, w);
        if (q[j] != 0) core[j] = values[j];
      }
    const std::vector<double> expected = apply(patch.spots(), patch.pixels().range, core);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(models[count_of(k, all.npixel) + i], expected[i], 1e-10)
          << "patch " << k << ", pixel " << i;
  }
}

// The selection's spots are elsewhere in memory, but bit-identical to the whole frame's.
TEST_F(Quality, ModelsOfASelectionEqualThoseOfTheFrame) {
  prepare();
  const auto models_of = [&](const PatchBatch& batch, const SolutionView& of_batch) {
    const DeviceBuffer<double> model = poisoned<double>(count_of(batch.count, batch.npixel));
    find_core_model(batch.view(), of_batch, model.get(), stream());
    const std::vector<double> values = to_host(model);
    std::vector<std::vector<double>> models;
    for (int k = 0; k < batch.count; ++k) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k) * batch.npixel;
      models.emplace_back(begin, begin + batch.patch(k).npixel());
    }
    return models;
  };
  const std::vector<std::vector<double>> expected = models_of(all, solution);

  const std::vector<int> index{1, all.count - 1};
  const PatchBatch some = make_batch(*frame, frame->select(index, stream()));
  std::vector<double> values;
  for (const int k : index) {
    const auto begin = host_f.begin() + static_cast<std::ptrdiff_t>(strides.patch(k));
    values.insert(values.end(), begin, begin + strides.of_patch);
  }
  const DeviceBuffer<double> f_of_some = to_device(values);
  const DeviceBuffer<double> y_q_good = poisoned<double>(3 * values.size());
  double* q = y_q_good.get() + values.size();
  project_pixels(some.view(), {strides, y_q_good.get(), q, q + values.size()}, stream());
  const std::vector<std::vector<double>> found =
      models_of(some, {strides, f_of_some.get(), q, q + values.size()});
  for (std::size_t k = 0; k < index.size(); ++k) EXPECT_EQ(found[k], expected[index[k]]);
}

}  // namespace
}  // namespace spex::gpu
