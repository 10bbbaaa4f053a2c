#include "gpu/extract/eigh/projection.hpp"
#include "gpu/extract/normal_equations/pixel_sums.hpp"
#include "gpu/tests/stage_test.hpp"

namespace spex::gpu {
namespace {

using Projection = test::StageTest;

// In spectrum order, and in wavelength order with padding.
TEST_F(Projection, VectorsAgreeWithTheReference) {
  load();
  const PatchBatch all = batch();
  for (const BinStrides strides : {BinStrides{all.n + 3, 23, 1}, BinStrides{7 * 24, 1, 7}}) {
    const std::size_t size = count_of(all.count, strides.of_patch);
    const DeviceBuffer<double> y = poisoned<double>(size), q = poisoned<double>(size),
                               good = poisoned<double>(size);
    project_pixels(all.view(), {strides, y.get(), q.get(), good.get()}, stream());
    const std::vector<double> ys = to_host(y), qs = to_host(q), goods = to_host(good);
    for (int k = 0; k < all.count; ++k) {
      const test::ReferencePatch patch(inputs(), patches[k]);
      const NormalEquations expected = assemble_sparse(patch.spots(), patch.pixels());
      std::vector<double> used;
      for (const double W : patch.pixels().W) used.push_back(W > 0 ? 1 : 0);
      const std::vector<double> goods_expected =
          apply_transpose(patch.spots(), patch.pixels().range, used);
      for (int j = 0; j < patch.n(); ++j) {
        const std::size_t at = strides.patch(k) + strides.bin(j / patch.nwave(), j % patch.nwave());
        ASSERT_NEAR(ys[at], expected.y[j], 1e-12) << "patch " << k << ", bin " << j;
        ASSERT_NEAR(qs[at], expected.q[j], 1e-14) << "patch " << k << ", bin " << j;
        ASSERT_NEAR(goods[at], goods_expected[j], 1e-13) << "patch " << k << ", bin " << j;
      }
    }
  }
}

// Rows and columns beyond a patch are 0.
TEST_F(Projection, DenseMatrixHasTheSpotsInItsColumns) {
  load();
  const PatchBatch all = batch();
  const int rows = all.npixel + 5, columns = all.n + 2;
  const DeviceBuffer<double> A = poisoned<double>(count_of(all.count, rows, columns));
  const DeviceBuffer<double> WA = poisoned<double>(A.count());
  BatchView larger = all.view();
  larger.npixel = rows;
  larger.n = columns;
  make_dense_projection(larger, A.get(), WA.get(), stream());
  const std::vector<double> As = to_host(A), WAs = to_host(WA);
  for (int k = 0; k < all.count; ++k) {
    const test::ReferencePatch patch(inputs(), patches[k]);
    std::vector<double> expected(count_of(rows, columns), 0.0);
    const SparseProjection sparse = make_sparse_projection(patch.spots(), patch.pixels().range);
    for (std::size_t i = 0; i + 1 < sparse.first.size(); ++i)
      for (int e = sparse.first[i]; e < sparse.first[i + 1]; ++e)
        expected[count_of(sparse.bin[e], rows) + i] = sparse.value[e];
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i) {
        const std::size_t at = count_of(j, rows) + i;
        const double W = count_of(i) < patch.pixels().W.size() ? patch.pixels().W[i] : 0;
        ASSERT_NEAR(As[count_of(k, rows, columns) + at], expected[at], 1e-15)
            << "patch " << k << ", pixel " << i << ", bin " << j;
        ASSERT_NEAR(WAs[count_of(k, rows, columns) + at], W * expected[at], 1e-15)
            << "patch " << k << ", pixel " << i << ", bin " << j;
      }
  }
}

}  // namespace
}  // namespace spex::gpu
