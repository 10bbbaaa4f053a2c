#include <climits>
#include <random>

#include "gpu/extract/quality.hpp"
#include "gpu/tests/stage_test.hpp"
#include "reference/extract/quality.hpp"

namespace spex::gpu {
namespace {

constexpr double psferr = 0.03;

// A solution f of every patch, some of it negative, with q and the good part of every bin.
class Quality : public test::StageTest {
 protected:
  void prepare() {
    load();
    all = batch();
    const int nslots = frame->most_fibers() + 1;
    strides = {23 * nslots + 1, 1, nslots};  // in the order of wavelength
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
    project_pixels(all.patches(), all.count, all.n, all.spots, frame->pixels(),
                   {strides, vectors.get(), q, q + size}, stream());
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

TEST_F(Quality, RowsKnowTheBinsThatReachThem) {
  load();
  const RowBins rows = frame->rows();
  const int nspec = psf.nfiber;
  const std::vector<int> first =
      gpu::to_host<int>(rows.first, count_of(nspec, rows.ny_ccd), stream());
  const std::vector<int> last =
      gpu::to_host<int>(rows.last, count_of(nspec, rows.ny_ccd), stream());
  const int begin = patches.front().padded_wave_first();
  const int nwave = patches.back().padded_wave_first() + patches.back().padded_nwave() - begin;
  const spex::Spots spots = spex::evaluate_spots(psf, 0, nspec, grid.range(begin, nwave));
  ASSERT_EQ(rows.ny_ccd, pixels.ny);
  for (int s = 0; s < nspec; ++s)
    for (int y = 0; y < pixels.ny; ++y) {
      int least = INT_MAX, end = 0;
      for (int w = 0; w < nwave; ++w) {
        const int yc = spots.yc[spots.index(s, w)];
        if (y < yc || y >= yc + psf.ny()) continue;
        least = std::min(least, w);
        end = w + 1;
      }
      const std::size_t at = count_of(s, pixels.ny) + y;
      EXPECT_EQ(first[at], least) << "fiber " << s << ", row " << y;
      EXPECT_EQ(last[at], end) << "fiber " << s << ", row " << y;
    }
}

TEST_F(Quality, CoreBinsAreTheReferencesOwn) {
  prepare();
  const DeviceBuffer<double> work = poisoned<double>(count_of(all.count, 2, all.npixel));
  find_quality(all.patches(), all.count, all.npixel, all.ncore_bins, all.spots, frame->rows(),
               frame->pixels(), solution, psferr, work.get(), all.status(), frame->spectra(),
               stream());
  const std::vector<PatchResult> results = frame->download();
  int unconstrained = 0;
  for (int k = 0; k < all.count; ++k) {
    const test::ReferencePatch patch(inputs(), patches[k]);
    const std::vector<double> q = assemble_sparse(patch.spots(), patch.pixels()).q;
    const std::vector<double> chi2 = chi2pix(patch.spots(), patch.pixels(), f_of(k), psferr);
    const std::vector<double> masked = pixmask_fraction(patch.spots(), patch.pixels());
    const PatchResult& result = results[k];
    for (int s = 0; s < result.nspec; ++s)
      for (int w = 0; w < result.nwave; ++w) {
        const std::size_t at = count_of(s, result.nwave) + w;
        const std::size_t j = patch.core_bin(s, w);
        const bool constrained = q[j] != 0;
        unconstrained += constrained ? 0 : 1;
        EXPECT_NEAR(result.chi2pix[at], constrained ? chi2[j] : 0, 1e-11 * (1 + chi2[j]))
            << "patch " << k << ", bin " << j;
        EXPECT_NEAR(result.pixmask_fraction[at], constrained ? masked[j] : 1, 1e-13)
            << "patch " << k << ", bin " << j;
      }
  }
  EXPECT_GT(unconstrained, 0) << "no bin without a pixel: the test does not test";
  EXPECT_EQ(gpu::to_host<int>(all.status(), count_of(all.count), stream()),
            std::vector<int>(count_of(all.count), 0));
}

TEST_F(Quality, OverflowIsTheFailureOfItsOwnPatch) {
  prepare();
  host_f[strides.patch(1) + strides.bin(0, 11)] = 1e200;
  f = to_device(host_f);
  solution.f = f.get();
  const DeviceBuffer<double> work = poisoned<double>(count_of(all.count, 2, all.npixel));
  find_quality(all.patches(), all.count, all.npixel, all.ncore_bins, all.spots, frame->rows(),
               frame->pixels(), solution, 0, work.get(), all.status(), frame->spectra(), stream());
  std::vector<int> expected(count_of(all.count), 0);
  expected[1] = 1;
  EXPECT_EQ(gpu::to_host<int>(all.status(), expected.size(), stream()), expected);
}

TEST_F(Quality, CoreModelIsTheReferencesOwn) {
  prepare();
  const DeviceBuffer<double> model = poisoned<double>(count_of(all.count, all.npixel));
  find_core_model(all.patches(), all.count, all.npixel, all.spots, frame->rows(), solution,
                  model.get(), stream());
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

}  // namespace
}  // namespace spex::gpu
