#include <limits>

#include "gpu/extract/band/band_workspace.hpp"
#include "gpu/tests/stage_test.hpp"
#include "reference/extract/decorrelate.hpp"
#include "reference/linalg/symmetric.hpp"

namespace spex::gpu {
namespace {

// The stages before the roots are tested separately.
class Roots : public test::StageTest {
 protected:
  void find_all() {
    load();
    workspace.emplace(context(), true);
    ASSERT_TRUE(workspace->can_do(*frame, inputs()));
    workspace->begin(batch(), inputs());
    workspace->assemble();
    workspace->factor();
    workspace->roots();
  }
  // Number of spectra that are left to Jacobi.
  [[nodiscard]] int nhard() const {
    const RootBatch roots = workspace->root_batch();
    const auto hard = gpu::to_host<int>(roots.hard, count_of(roots.ncores), stream());
    return static_cast<int>(std::count(hard.begin(), hard.end(), 1));
  }
  [[nodiscard]] Decorrelated expected(int k) const {
    const test::ReferencePatch patch(inputs(), patches[k]);
    Decorrelated result;
    StageTimes times;
    EXPECT_TRUE(decorrelate_eigh(patch.equations(), Decorrelate::signal,
                                 {patch.patch().pad_below, patch.patch().nspec, patch.nwave()},
                                 result, times));
    return result;
  }
  // Compares the core bins within the grid.
  void expect_spectra_of(int k, const PatchResult& found, double tolerance) const {
    const Decorrelated decorrelated = expected(k);
    const Patch& patch = patches[k];
    const int m = patch.padded_nwave();
    for (int s = 0; s < found.nspec; ++s)
      for (int w = 0; w < found.nwave; ++w) {
        const int column = w + patch.wavepad;
        const std::size_t at = count_of(s, found.nwave) + w;
        const std::size_t j = count_of(s, m) + column;
        const double ivar = decorrelated.ivar[j];
        ASSERT_NEAR(found.flux[at], decorrelated.flux[j], tolerance / std::sqrt(ivar))
            << "patch " << k << ", spectrum " << s << ", bin " << w;
        ASSERT_NEAR(found.ivar[at], ivar, tolerance * ivar)
            << "patch " << k << ", spectrum " << s << ", bin " << w;
        for (int d = 0; d < found.ndiagonals; ++d) {
          const int row = column - found.ndiagonals / 2 + d;
          const double R = row >= 0 && row < m ? decorrelated.R[s][count_of(column, m) + row] : 0;
          ASSERT_NEAR(found.resolution[count_of(s * found.ndiagonals + d, found.nwave) + w], R,
                      tolerance)
              << "patch " << k << ", spectrum " << s << ", bin " << w << ", diagonal " << d;
        }
      }
  }

  std::optional<BandWorkspace> workspace;
};

// Blocks of each compiled size: 23 bins to 32, 41 to 48, 57 to 64, 75 to 80.
TEST_F(Roots, SpectraAgreeWithTheReference) {
  use_good_ccd();
  for (const int nwavestep : {13, 31, 47, 65}) {
    SCOPED_TRACE(nwavestep);
    options.nwavestep = nwavestep;
    find_all();
    const RootBatch roots = workspace->root_batch();
    EXPECT_EQ(gpu::to_host<int>(roots.hard, count_of(roots.ncores), stream()),
              std::vector<int>(count_of(roots.ncores), 0));
    const std::vector<PatchResult> results = frame->download();
    for (std::size_t k = 0; k < results.size(); ++k)
      expect_spectra_of(static_cast<int>(k), results[k], 1e-8);
  }
}

// The simplest cases: C of one bin, and C of bins so far apart that their spots do not overlap.
TEST_F(Roots, SingleBinsAgreeWithTheReference) {
  use_good_ccd();
  options.wavepad = 0;
  for (const int nwavestep : {1, 5}) {
    SCOPED_TRACE(nwavestep);
    options.nwavestep = nwavestep;
    grid = make_wave_grid({982, 1016, 6.8});
    find_all();
    EXPECT_EQ(nhard(), 0);
    const std::vector<PatchResult> results = frame->download();
    for (std::size_t k = 0; k < results.size(); ++k)
      expect_spectra_of(static_cast<int>(k), results[k], 1e-12);
  }
}

// Bins that only the prior determines: the root is left to Jacobi, applied to the reference's C.
TEST_F(Roots, HardBlocksAreSolvedByJacobi) {
  find_all();
  const RootBatch roots = workspace->root_batch();
  const int m = roots.layout.nwave;
  const std::vector<int> hard = gpu::to_host<int>(roots.hard, count_of(roots.ncores), stream());
  const std::vector<double> C = gpu::to_host(roots.C, count_of(roots.ncores, m, m), stream());
  for (int c = 0; c < roots.ncores; ++c) {
    if (hard[c] == 0) continue;
    const CoreSpectrum core = workspace->batch().cores[c];
    const test::ReferencePatch patch(inputs(), patches[core.patch]);
    const NormalEquations equations = patch.equations();
    Eigen eigen;
    ASSERT_TRUE(decompose(equations.N, equations.n, eigen));
    std::vector<double> inverse, expected_C;
    for (const double u : eigen.u) inverse.push_back(1 / u);
    eigen_block(eigen, inverse, (core.s + patch.patch().pad_below) * m, m, expected_C);
    const double largest = *std::max_element(expected_C.begin(), expected_C.end());
    for (std::size_t i = 0; i < expected_C.size(); ++i)
      ASSERT_NEAR(C[count_of(c, m, m) + i], expected_C[i], 1e-6 * largest) << "element " << i;
  }
  EXPECT_GT(nhard(), 0);
  EXPECT_LT(nhard(), roots.ncores);
  const std::vector<PatchResult> before = frame->download();
  workspace->hard_roots();
  const std::vector<PatchResult> after = frame->download();
  int finished = 0;
  for (int c = 0; c < roots.ncores; ++c) {
    const CoreSpectrum core = workspace->batch().cores[c];
    const auto ivar_of = [&](const std::vector<PatchResult>& results) {
      const PatchResult& result = results[core.patch];
      const auto begin = result.ivar.begin() + core.s * result.nwave;
      return std::vector<double>(begin, begin + result.nwave);
    };
    if (ivar_of(after) == ivar_of(before)) continue;
    EXPECT_EQ(hard[c], 1) << "spectrum " << c;
    EXPECT_EQ(ivar_of(before), std::vector<double>(ivar_of(before).size(), 0.0));
    ++finished;
  }
  EXPECT_GT(finished, 0);
  EXPECT_EQ(gpu::to_host<int>(roots.status, patches.size(), stream()),
            std::vector<int>(patches.size(), 0));
}

// A failed patch keeps zeros, and other patches are not affected.
TEST_F(Roots, FailedPatchesAreSkipped) {
  use_good_ccd();
  find_all();
  const std::vector<PatchResult> before = frame->download();
  frame->load(inputs(), patches);
  workspace->begin(batch(), inputs());
  workspace->assemble();
  workspace->factor();
  const int failed = 1;
  SPEX_GPU_CHECK(cudaMemcpyAsync(frame->status() + 2, &failed, sizeof failed,
                                 cudaMemcpyHostToDevice, stream()));
  workspace->roots();
  const std::vector<PatchResult> after = frame->download();
  for (std::size_t k = 0; k < after.size(); ++k) {
    const std::vector<double> zeros(after[k].flux.size(), 0.0);
    EXPECT_EQ(after[k].flux, k == 2 ? zeros : before[k].flux) << k;
    EXPECT_EQ(after[k].ivar, k == 2 ? zeros : before[k].ivar) << k;
  }
}

}  // namespace
}  // namespace spex::gpu
