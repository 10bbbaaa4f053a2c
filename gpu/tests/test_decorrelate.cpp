#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/extract/eigh/decorrelate.hpp"
#include "gpu/tests/stage_test.hpp"
#include "reference/extract/decorrelate.hpp"
#include "reference/model/milestones.hpp"

namespace spex::gpu {
namespace {

// The patches of one subbundle, all of one shape, with the reference's N, y and q.
class DecorrelateTest : public test::StageTest {
 protected:
  DecorrelateTest() { use_good_ccd(); }

  void prepare() {
    load();
    while (count < static_cast<int>(patches.size()) &&
           patches[count].subbundle == patches[0].subbundle &&
           patches[count].bundle == patches[0].bundle)
      ++count;
    ASSERT_GT(count, 2);
    n = patches[0].n();
    for (int k = 0; k < count; ++k) {
      equations.push_back(test::ReferencePatch(inputs(), patches[k]).equations());
      NormalEquations& one = equations.back();
      for (int column = 0; column < n; ++column)  // cuSOLVER's cuBLAS needs both triangles
        for (int row = 0; row < column; ++row)
          one.N[count_of(column, n) + row] = test::lower(one.N, n, row, column);
    }
  }
  struct Solved {
    std::vector<double> f;
    std::vector<int> status;
    std::vector<PatchResult> results;
  };
  // Solves all patches on the GPU.
  Solved solve(const EighRoutines& how, spex::Decorrelate kind) {
    frame->load(inputs(), patches);
    const PatchBatch all = batch(0, count);
    std::vector<double> N, y, q;
    for (const NormalEquations& one : equations) {
      N.insert(N.end(), one.N.begin(), one.N.end());
      y.insert(y.end(), one.y.begin(), one.y.end());
      q.insert(q.end(), one.q.begin(), one.q.end());
    }
    const DeviceBuffer<double> N_device = to_device(N), y_device = to_device(y),
                               q_device = to_device(q), f = poisoned<double>(y.size());
    EigenSolver solver(context());
    const EigenSolver::Patches on_device{all.patches(),
                                         count,
                                         patches[0].padded_nspec(),
                                         patches[0].padded_nwave(),
                                         patches[0].pad_below,
                                         N_device.get(),
                                         y_device.get(),
                                         q_device.get(),
                                         f.get(),
                                         all.status()};
    solver.solve(how, on_device);
    solver.decorrelate(how, kind, on_device, all.cores, frame->spectra());
    std::vector<int> status = gpu::to_host<int>(all.status(), count_of(count), stream());
    return {to_host(f), std::move(status), frame->download()};
  }
  void expect_solution(const Solved& solved, int k, spex::Decorrelate kind) const {
    const Patch& patch = patches[k];
    const int m = patch.padded_nwave();
    spex::Decorrelated expected;
    StageTimes times;
    ASSERT_TRUE(
        decorrelate_eigh(equations[k], kind, {patch.pad_below, patch.nspec, m}, expected, times));
    for (int j = 0; j < n; ++j)
      ASSERT_NEAR(solved.f[count_of(k, n) + j], expected.f[j], 1e-7)
          << "patch " << k << ", bin " << j;
    const PatchResult& result = solved.results[k];
    for (int s = 0; s < result.nspec; ++s)
      for (int w = 0; w < result.nwave; ++w) {
        const std::size_t at = count_of(s, result.nwave) + w;
        const std::size_t j = count_of(s, m) + w + patch.wavepad;
        ASSERT_NEAR(result.flux[at], expected.flux[j], 1e-8 / std::sqrt(expected.ivar[j]));
        ASSERT_NEAR(result.ivar[at], expected.ivar[j], 1e-8 * expected.ivar[j]);
      }
  }

  int count = 0;
  int n = 0;
  std::vector<NormalEquations> equations;
};

// The routines of every milestone and of the last fallback.
std::vector<std::pair<std::string_view, EighRoutines>> all_routines() {
  std::vector<std::pair<std::string_view, EighRoutines>> all{{"fallback", fallback_routines}};
  for (const MilestoneTraits& rung : milestones)
    if (rung.engine == Engine::gpu_eigh) all.emplace_back(rung.name, rung.eigh);
  return all;
}

TEST_F(DecorrelateTest, AgreesWithTheReferenceForAllRoutines) {
  prepare();
  for (const spex::Decorrelate kind : {spex::Decorrelate::signal, spex::Decorrelate::noise})
    for (const auto& [name, how] : all_routines()) {
      SCOPED_TRACE(name);
      const Solved solved = solve(how, kind);
      EXPECT_EQ(solved.status, std::vector<int>(count_of(count), 0));
      for (int k = 0; k < count; ++k) expect_solution(solved, k, kind);
    }
}

// One N contains NaN and fails; one N is indefinite and is solved from its eigenvalues, but its
// block of C is too ill-conditioned for Xsyevd; the other patches must not be affected.
TEST_F(DecorrelateTest, BadMatricesAffectOnlyTheirPatch) {
  prepare();
  equations[0].N[count_of(3, n) + 3] = std::nan("");
  NormalEquations& indefinite = equations[1];
  for (int j = 0; j < n; ++j) {  // a bin that only rounding error determines
    indefinite.N[count_of(7, n) + j] = indefinite.N[count_of(j, n) + 7] = 0;
  }
  indefinite.N[count_of(7, n) + 7] = -1e-30;
  indefinite.y[7] = 0;
  for (const auto& [name, how] : all_routines()) {
    SCOPED_TRACE(name);
    const Solved solved = solve(how, spex::Decorrelate::signal);
    EXPECT_EQ(solved.status[0], 1);
    EXPECT_EQ(solved.status[1], how.blocks == EighRoutine::dsyevd ? 1 : 0);
    for (int k = 2; k < count; ++k) EXPECT_EQ(solved.status[k], 0) << k;
    for (int j = 0; j < n; ++j) ASSERT_TRUE(std::isfinite(solved.f[count_of(n) + j])) << j;
    for (int k = 2; k < count; ++k) expect_solution(solved, k, spex::Decorrelate::signal);
  }
}

}  // namespace
}  // namespace spex::gpu
