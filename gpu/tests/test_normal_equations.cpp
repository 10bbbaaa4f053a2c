#include "gpu/extract/band/normal_equations.hpp"
#include "gpu/extract/normal_equations/pixel_sums.hpp"
#include "gpu/extract/normal_equations/prior.hpp"
#include "gpu/tests/stage_test.hpp"

namespace spex::gpu {
namespace {

// q of every patch and its prior, for any order of bins.
class NormalEquationsTest : public test::StageTest {
 protected:
  DeviceBuffer<double> prior_of(const PatchBatch& all, const BinStrides& strides,
                                double regularize) const {
    const std::size_t size = count_of(all.count, strides.of_patch);
    const DeviceBuffer<double> vectors = poisoned<double>(3 * size);
    DeviceBuffer<double> prior = poisoned<double>(size);
    double* q = vectors.get() + size;
    project_pixels(all.view(), {strides, vectors.get(), q, q + size}, stream());
    find_prior(all.view(), {strides, q, regularize}, prior.get(), stream());
    context().synchronize();
    return prior;
  }
};

TEST_F(NormalEquationsTest, PriorAgreesWithTheReference) {
  options.regularize = 0.25;
  load();
  const PatchBatch all = batch();
  const BinStrides strides{all.n, 23, 1};
  const DeviceBuffer<double> prior = prior_of(all, strides, options.regularize);
  const DeviceBuffer<double> N =
      to_device(std::vector<double>(count_of(all.count, all.n, all.n), 0.0));
  add_prior(all.view(), strides, prior.get(), N.get(), stream());
  const std::vector<double> Ns = to_host(N);
  bool held_by_prior = false;
  for (int k = 0; k < all.count; ++k) {
    const test::ReferencePatch patch(inputs(), patches[k]);
    NormalEquations expected = assemble_sparse(patch.spots(), patch.pixels());
    expected.N.assign(expected.N.size(), 0.0);
    add_prior(expected, options.regularize);
    for (int column = 0; column < all.n; ++column)
      for (int row = 0; row < all.n; ++row) {
        const bool own = row < patch.n() && column < patch.n();
        const double N_expected = own ? test::lower(expected.N, patch.n(), row, column) : 0.0;
        ASSERT_NEAR(Ns[count_of(k, all.n, all.n) + count_of(column, all.n) + row], N_expected,
                    1e-12 * N_expected)
            << "patch " << k << ", row " << row << ", column " << column;
      }
    for (int j = 0; j < patch.n(); ++j) held_by_prior = held_by_prior || expected.q[j] == 0;
  }
  EXPECT_TRUE(held_by_prior) << "the masked block swallows no bin: the test does not test";
}

// Every element of the lower triangle, including zeros and padding rows.
TEST_F(NormalEquationsTest, BandEqualsTheReferencesMatrix) {
  load();
  const PatchBatch all = batch();
  const BandLayout layout{frame->max_fibers(), frame->reach(), 23};
  ASSERT_LT(layout.reach, layout.nwave);
  ASSERT_GT(layout.rows(), layout.nslots * layout.nwave) << "no padding behind the last bin";
  const DeviceBuffer<double> prior = prior_of(all, layout.strides(), 0);
  const DeviceBuffer<double> panels = poisoned<double>(count_of(all.count, layout.patch_size()));
  assemble_band(all.view(), layout, prior.get(), panels.get(), stream());
  const std::vector<double> found = to_host(panels);
  const int size = layout.size();
  for (int k = 0; k < all.count; ++k) {
    const test::ReferencePatch patch(inputs(), patches[k]);
    const NormalEquations expected = patch.equations();
    const auto bin_of = [&](int row) {  // spectrum-major; negative: padding
      const int w = row / layout.nslots, s = row % layout.nslots;
      return w < patch.nwave() && s < patch.patch().padded_nspec() ? s * patch.nwave() + w : -1;
    };
    for (int column = 0; column < layout.rows(); ++column) {
      const int b = column / size;
      for (int row = column; row < std::min(layout.rows(), (b + 2) * size); ++row) {
        const int i = bin_of(row), j = bin_of(column);
        double N = row == column ? 1 : 0;
        if (i >= 0 && j >= 0) N = test::lower(expected.N, patch.n(), i, j);
        const std::size_t at = count_of(k) * layout.patch_size() +
                               count_of(b) * layout.panel_size() +
                               count_of(column - b * size, 2 * size) + count_of(row - b * size);
        ASSERT_NEAR(found[at], N, 1e-14)
            << "patch " << k << ", row " << row << ", column " << column;
      }
      // Elements outside of the band are 0.
      for (int row = (b + 2) * size; row < layout.rows(); ++row) {
        const int i = bin_of(row), j = bin_of(column);
        if (i < 0 || j < 0) continue;
        ASSERT_EQ(test::lower(expected.N, patch.n(), i, j), 0);
      }
    }
  }
}

}  // namespace
}  // namespace spex::gpu
