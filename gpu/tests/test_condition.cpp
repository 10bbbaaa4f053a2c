#include "gpu/extract/band_workspace.hpp"
#include "gpu/extract/condition.hpp"
#include "gpu/tests/stage_test.hpp"
#include "reference/extract/decorrelate.hpp"
#include "reference/linalg/block_tridiagonal.hpp"

namespace spex::gpu {
namespace {

// The finer the bins, the more alike their spots, and the worse the condition of N.
class Condition : public test::StageTest {
 protected:
  Condition() { pixels = spex::test::make_pixels_of_noise(70, 60); }

  // The 1-norm's estimate by LAPACK, with N in the order of wavelength as the device has it; 0
  // where N cannot be factored.
  static double by_lapack(const test::ReferencePatch& patch, int reach) {
    const NormalEquations equations = patch.equations();
    const int nspec = patch.patch().padded_nspec(), nwave = patch.nwave();
    BlockTridiagonal N(patch.n(), reach * nspec);
    for (int column = 0; column < patch.n(); ++column)
      for (int row = column; row < patch.n(); ++row) {
        const int i = row % nspec * nwave + row / nspec,
                  j = column % nspec * nwave + column / nspec;
        if (row / N.size() <= column / N.size() + 1)
          N.at(row, column) = test::lower(equations.N, patch.n(), i, j);
      }
    const double norm = N.norm1();
    return N.factor() ? norm * N.inverse_norm1_estimate() : 0;
  }
};

TEST_F(Condition, EstimateIsLapacks) {
  for (const double dw : {0.8, 0.5, 0.4}) {
    SCOPED_TRACE(dw);
    grid = make_wave_grid({982, 1016, dw});
    load();
    const PatchBatch all = batch();
    BandWorkspace workspace(context(), true);
    workspace.begin(all, inputs());
    workspace.assemble();
    const BandLayout& layout = workspace.layout();
    const DeviceBuffer<double> panels = poisoned<double>(count_of(all.count) * layout.patch_size());
    SPEX_GPU_CHECK(cudaMemcpyAsync(panels.get(), workspace.root_batch().panels, panels.bytes(),
                                   cudaMemcpyDeviceToDevice, stream()));
    const DeviceBuffer<double> norm = poisoned<double>(count_of(all.count));
    find_band_norms(all.patches(), all.count, layout, panels.get(), norm.get(), stream());
    const DeviceBuffer<double> M =
        poisoned<double>(count_of(all.count, layout.nblocks(), layout.size(), layout.size()));
    const DeviceBuffer<double> y =
        to_device(std::vector<double>(count_of(all.count, layout.rows()), 1.0));
    const DeviceBuffer<int> status = to_device(std::vector<int>(count_of(all.count), 0));
    factor_band(all.count, layout, panels.get(), M.get(), y.get(), status.get(), stream());
    const DeviceBuffer<double> work = poisoned<double>(count_of(all.count, 2, layout.rows()));
    const DeviceBuffer<double> condition = poisoned<double>(count_of(all.count));
    const double bound = dw > 0.6 ? 1e4 : 1e8;
    check_condition(all.patches(), all.count, layout, panels.get(), norm.get(), bound, work.get(),
                    condition.get(), status.get(), stream());
    const std::vector<double> found = to_host(condition);
    const std::vector<int> statuses = to_host(status);
    for (int k = 0; k < all.count; ++k) {
      const test::ReferencePatch patch(inputs(), patches[count_of(k)]);
      const double expected = by_lapack(patch, layout.reach);
      EXPECT_NEAR(found[count_of(k)], expected, 1e-3 * expected) << k;
      EXPECT_EQ(statuses[count_of(k)], found[count_of(k)] < bound ? 0 : 1) << k;
    }
  }
}

// Between the bound and what Cholesky can factor: few digits are left, and the patch is eigh's.
TEST_F(Condition, PatchesBeyondTheBoundFail) {
  grid = make_wave_grid({990, 1000, 0.2});
  options.nwavestep = 30;
  load();
  int beyond = 0;
  for (const Patch& one : patches) {
    const double condition = by_lapack(test::ReferencePatch(inputs(), one), frame->reach());
    if (condition >= cholesky_condition_bound) ++beyond;
  }
  ASSERT_EQ(beyond, static_cast<int>(patches.size()))
      << "N is too good, or so bad that Cholesky fails: the test does not test";
  BandWorkspace workspace(context(), true);
  ASSERT_TRUE(workspace.can_do(*frame, inputs()));
  workspace.begin(batch(), inputs());
  workspace.assemble();
  workspace.factor();
  EXPECT_EQ(gpu::to_host<int>(frame->status(), patches.size(), stream()),
            std::vector<int>(patches.size(), 1));
}

}  // namespace
}  // namespace spex::gpu
