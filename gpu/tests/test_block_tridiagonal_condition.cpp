#include <cmath>

#include "gpu/extract/band/band_workspace.hpp"
#include "gpu/extract/band/block_tridiagonal_condition.hpp"
#include "gpu/tests/stage_test.hpp"
#include "reference/extract/decorrelate.hpp"
#include "reference/linalg/block_tridiagonal.hpp"

namespace spex::gpu {
namespace {

// Finer bins have more similar spots, and N is more ill-conditioned.
class Condition : public test::StageTest {
 protected:
  Condition() { pixels = spex::test::make_pixels_of_noise(70, 60); }

  // LAPACK's 1-norm estimate, with N in wavelength order as on the device; 0 if N cannot be
  // factored.
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

struct Checked {
  std::vector<double> condition;
  std::vector<int> status;
};

// The estimates of all patches of a loaded frame.
class ConditionOfAll : public Condition {
 protected:
  Checked check(double bound) {
    const PatchBatch all = batch();
    BandWorkspace workspace(context(), true);
    workspace.begin(all, inputs());
    workspace.assemble();
    const BandLayout& layout = workspace.layout();
    const DeviceBuffer<double> panels = poisoned<double>(count_of(all.count) * layout.patch_size());
    SPEX_GPU_CHECK(cudaMemcpyAsync(panels.get(), workspace.root_batch().panels, panels.bytes(),
                                   cudaMemcpyDeviceToDevice, stream()));
    const DeviceBuffer<double> norm = poisoned<double>(count_of(all.count));
    const DeviceBuffer<double> M =
        poisoned<double>(count_of(all.count, layout.nblocks(), layout.size(), layout.size()));
    const DeviceBuffer<double> y =
        to_device(std::vector<double>(count_of(all.count, layout.rows()), 1.0));
    const DeviceBuffer<int> status = to_device(std::vector<int>(count_of(all.count), 0));
    const DeviceBuffer<double> work = poisoned<double>(count_of(all.count, 2, layout.rows()));
    const DeviceBuffer<double> condition = poisoned<double>(count_of(all.count));
    const BandSystems systems{all.count, layout, panels.get(), M.get(), y.get(), status.get()};
    const BandConditions conditions{norm.get(), condition.get(), work.get(), bound};
    find_band_norms(all.patches(), systems, conditions, stream());
    factor_band(systems, stream());
    check_condition(all.patches(), systems, conditions, stream());
    return {to_host(condition), to_host(status)};
  }
  [[nodiscard]] std::vector<double> by_lapack_of_all() const {
    std::vector<double> all;
    for (const Patch& patch : patches)
      all.push_back(by_lapack(test::ReferencePatch(inputs(), patch), frame->reach()));
    return all;
  }
};

// With a bound so low that the pivots decide no patch; some patches are above the bound, some
// below.
TEST_F(ConditionOfAll, EstimateEqualsLapacks) {
  struct Case {
    double dw;
    double bound;
  };
  for (const auto& [dw, bound] : {Case{0.8, 100}, {0.5, 5e6}, {0.4, 1e8}}) {
    SCOPED_TRACE(dw);
    grid = make_wave_grid({982, 1016, dw});
    load();
    const Checked found = check(bound);
    const std::vector<double> expected = by_lapack_of_all();
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(found.condition[k], expected[k], 1e-3 * expected[k]) << k;
      EXPECT_EQ(found.status[k], found.condition[k] < bound ? 0 : 1) << k;
    }
  }
}

// Some patches are decided by the pivots, others by the estimate.
TEST_F(ConditionOfAll, PivotsDecideWellConditionedPatches) {
  int settled = 0, estimated = 0;
  for (const double dw : {0.8, 0.4, 0.3}) {
    SCOPED_TRACE(dw);
    grid = make_wave_grid({982, 1016, dw});
    load();
    const Checked found = check(cholesky_condition_bound);
    const std::vector<double> expected = by_lapack_of_all();
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(found.status[k], 0) << k;
      EXPECT_LE(found.condition[k], 1.001 * expected[k]) << k;
      const bool by_pivots = found.condition[k] < std::sqrt(cholesky_condition_bound);
      if (!by_pivots) {
        EXPECT_NEAR(found.condition[k], expected[k], 1e-3 * expected[k]) << k;
      }
      ++(by_pivots ? settled : estimated);
    }
  }
  EXPECT_GT(settled, 0);
  EXPECT_GT(estimated, 0);
}

// Condition numbers between the bound and Cholesky's limit, where eigh clips: the patch is left to
// eigh. Only the prior's 1e-15 determines the smallest eigenvalue, so that the weights set the
// condition number, nearly independently of rounding. Patches have three spectra, because the band
// of four would be too wide.
TEST_F(Condition, PatchesBeyondTheBoundFail) {
  pixels = spex::test::make_pixels_of_noise(70, 60, 1, 4);
  grid = make_wave_grid({990, 1000, 0.15});
  options.bundlesize = 3;
  options.nsubbundles = 1;
  options.nwavestep = 30;
  load();
  int beyond = 0;
  for (const Patch& one : patches) {
    const double condition = by_lapack(test::ReferencePatch(inputs(), one), frame->reach());
    if (condition >= 2 * cholesky_condition_bound) ++beyond;
  }
  ASSERT_EQ(beyond, static_cast<int>(patches.size()))
      << "N is too well conditioned, or Cholesky fails: the test checks nothing";
  BandWorkspace workspace(context(), true);
  ASSERT_TRUE(workspace.can_do(*frame, inputs()));
  workspace.begin(batch(), inputs());
  workspace.assemble();
  workspace.factor();
  workspace.check();
  EXPECT_EQ(gpu::to_host<int>(frame->status(), patches.size(), stream()),
            std::vector<int>(patches.size(), 1));
}

}  // namespace
}  // namespace spex::gpu
