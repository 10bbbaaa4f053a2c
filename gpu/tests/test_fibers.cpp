// Compares the stages of the fiber engine with the reference: bands, factors, f, couplings,
// spectra.
#include <cmath>
#include <cstring>

#include "gpu/extract/fibers/fiber_workspace.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/decorrelate.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/linalg/symmetric.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex::gpu {
namespace {

// Bins of a third of a pixel: bands reach farther than one bin and end within a warp.
class FibersTest : public test::GpuTest {
 protected:
  FibersTest() {
    options.bundlesize = 6;
    options.nsubbundles = 2;
    options.nwavestep = 13;
    options.wavepad = 5;
    for (int y = 0; y < 60; ++y) pixels.weight.set(static_cast<std::size_t>(y * 70 + 33), 0);
  }

  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    patches = make_patches(options, grid, psf.nfiber);
    frame.emplace(context(), true);
    frame->load(inputs(), patches);
    workspace.emplace(context(), true, 1);
    ASSERT_TRUE(workspace->can_do(*frame, inputs()));
    const int count = static_cast<int>(patches.size());
    workspace->begin(make_batch(*frame, 0, count, frame->evaluate_spots(0, count)), inputs());
  }

  [[nodiscard]] ExtractInputs inputs() const { return {&psf, &pixels, grid, options}; }
  [[nodiscard]] int slots() const { return workspace->layout().nslots; }
  [[nodiscard]] std::size_t spectra() const {
    return patches.size() * static_cast<std::size_t>(slots());
  }
  // The normal equations of a patch, with their prior.
  [[nodiscard]] NormalEquations reference(const Patch& patch) const {
    const Spots spots = evaluate_spots(psf, patch.padded_spec_first(), patch.padded_nspec(),
                                       grid.range(patch.padded_wave_first(), patch.padded_nwave()));
    const PatchSpots mine{&spots, 0, 0, patch.padded_nspec(), patch.padded_nwave()};
    const PixelRange range =
        used_pixels(mine, patch.wavepad, options.pixpad_frac, pixels.nx, pixels.ny);
    NormalEquations equations = assemble_sparse(mine, cut_pixels(pixels, range));
    add_prior(equations, options.regularize);
    return equations;
  }
  static double element(const NormalEquations& e, int i, int j) {
    const std::size_t low = std::min(i, j);
    const std::size_t high = std::max(i, j);
    return e.N[low * static_cast<std::size_t>(e.n) + high];
  }
  // N_tt of spectra of m bins.
  static Eigen eigen_of(const NormalEquations& e, int m, int t) {
    std::vector<double> block(m * m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) block[j * m + i] = element(e, t * m + i, t * m + j);
    Eigen eigen;
    EXPECT_TRUE(decompose(block, m, eigen));
    return eigen;
  }
  // D_s = sum over neighbors t of N_st N_tt^-1 N_ts.
  static std::vector<double> correction(const NormalEquations& e, int m, int nspec, int s) {
    std::vector<double> D(m * m, 0.0);
    for (const int t : {s - 1, s + 1}) {
      if (t < 0 || t >= nspec) continue;
      const Eigen eigen = eigen_of(e, m, t);
      std::vector<double> inverse_u;
      for (const double u : eigen.u) inverse_u.push_back(1 / u);
      for (int j = 0; j < m; ++j) {
        std::vector<double> column, solved_column;
        for (int i = 0; i < m; ++i) column.push_back(element(e, t * m + i, s * m + j));
        eigen_apply(eigen, inverse_u, column, solved_column);
        for (int i = 0; i < m; ++i)
          for (int w = 0; w < m; ++w)
            D[j * m + i] += element(e, t * m + w, s * m + i) * solved_column[w];
      }
    }
    return D;
  }

  Psf psf = spex::test::make_psf({.nfiber = 11, .nx = 70, .ny = 60, .x_first = 2});
  Pixels pixels = spex::test::make_pixels_of_noise(70, 60);
  WaveGrid grid = make_wave_grid({982, 1016, 0.8});
  ExtractOptions options;
  std::vector<Patch> patches;
  std::optional<FrameOnDevice> frame;
  std::optional<FiberWorkspace> workspace;
};

TEST_F(FibersTest, BandsEqualTheReference) {
  workspace->assemble();
  const FiberLayout layout = workspace->layout();
  const int m = layout.nwave, R = layout.reach, width = 2 * R + 1;
  const auto band = gpu::to_host<double>(
      workspace->bands().band, spectra() * static_cast<std::size_t>(layout.band_size()), stream());
  const auto pair = gpu::to_host<double>(
      workspace->bands().pair, spectra() * static_cast<std::size_t>(layout.pair_size()), stream());
  int neighbors = 0;
  for (std::size_t k = 0; k < patches.size(); ++k) {
    const NormalEquations e = reference(patches[k]);
    for (int s = 0; s < patches[k].padded_nspec(); ++s) {
      const std::size_t first = k * static_cast<std::size_t>(slots()) + static_cast<std::size_t>(s);
      for (int v = 0; v < m; ++v) {
        const double scale = element(e, s * m + v, s * m + v);
        for (int d = 0; d <= R; ++d) {
          const double found = band[first * static_cast<std::size_t>(layout.band_size()) +
                                    static_cast<std::size_t>(v * (R + 1) + d)];
          const double expected = v + d < m ? element(e, s * m + v + d, s * m + v) : 0;
          EXPECT_NEAR(found, expected, 1e-13 * scale);
        }
        if (s + 1 == patches[k].padded_nspec()) continue;
        for (int d = 0; d < width; ++d) {
          const int w = v - R + d;
          const double found = pair[first * static_cast<std::size_t>(layout.pair_size()) +
                                    static_cast<std::size_t>(v * width + d)];
          const double expected = w >= 0 && w < m ? element(e, (s + 1) * m + w, s * m + v) : 0;
          EXPECT_NEAR(found, expected, 1e-13 * scale);
          neighbors += expected != 0 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(neighbors, 0);
}

TEST_F(FibersTest, SolutionsAgreeWithTheReference) {
  workspace->assemble();
  workspace->factor();
  workspace->sweep();
  workspace->correct();
  const FiberLayout layout = workspace->layout();
  const int m = layout.nwave;
  const std::size_t bins = slots() * m;
  const auto f = gpu::to_host<double>(workspace->fibers().f, patches.size() * bins, stream());
  const auto trace = gpu::to_host<double>(workspace->fibers().trace, spectra(), stream());
  const std::size_t cores = workspace->batch().cores.size();
  const std::size_t size_of_band = SchurComplements::band_size(layout);
  const int stride = fiber_roots::stride_of_E(m);
  const auto E =
      gpu::to_host<float>(workspace->complements().outside, cores * count_of(m, stride), stream());
  const auto P_band =
      gpu::to_host<double>(workspace->complements().band, cores * size_of_band, stream());
  const auto norm = gpu::to_host<double>(workspace->complements().norm, cores, stream());
  const auto norm_of_E = gpu::to_host<double>(workspace->complements().norm_of_E, cores, stream());
  const auto status = gpu::to_host<int>(frame->status(), patches.size(), stream());
  std::size_t core = 0;
  int solved = 0;
  for (std::size_t k = 0; k < patches.size(); ++k) {
    const Patch& patch = patches[k];
    const NormalEquations e = reference(patch);
    Decorrelated truth;
    StageTimes times;
    ASSERT_TRUE(decorrelate_whole_patch(e, Decorrelate::signal,
                                        {patch.pad_below, patch.nspec, m, 0}, truth, times));
    if (status[k] == 0) {
      ++solved;
      for (int j = 0; j < e.n; ++j)
        EXPECT_NEAR(f[k * bins + static_cast<std::size_t>(j)], truth.f[j],
                    1e-8 / std::sqrt(element(e, j, j)))
            << k << " " << j << " q " << e.q[j];
    }
    for (int s = patch.pad_below; s < patch.pad_below + patch.nspec; ++s, ++core) {
      const std::vector<double> expected = correction(e, m, patch.padded_nspec(), s);
      // P = N - D within the band, E = D outside.
      const int R = layout.reach;
      const double* band = P_band.data() + core * size_of_band;
      double largest = 0, squares_of_E = 0;
      for (int i = 0; i < m; ++i) {
        double row = 0;
        for (int j = 0; j < m; ++j) {
          const double scale =
              std::sqrt(element(e, s * m + i, s * m + i) * element(e, s * m + j, s * m + j));
          const double found_E = E[core * count_of(m, stride) + count_of(j * stride + i)];
          squares_of_E += found_E * found_E;
          if (std::abs(i - j) > R) {
            // E is stored in single precision.
            EXPECT_NEAR(found_E, expected[j * m + i],
                        1e-11 * scale + 6e-8 * std::abs(expected[j * m + i]));
            continue;
          }
          EXPECT_EQ(found_E, 0);
          const double found = band[std::min(i, j) * (R + 1) + std::abs(i - j)];
          EXPECT_NEAR(found, element(e, s * m + i, s * m + j) - expected[j * m + i], 1e-11 * scale);
          row += std::abs(found);
        }
        largest = std::max(largest, row);
      }
      EXPECT_NEAR(norm_of_E[core] / std::sqrt(squares_of_E), 1, 1e-6);
      EXPECT_NEAR(norm[core] / largest, 1, 1e-12);
      for (std::size_t i = count_of(m, R + 1); i < size_of_band; ++i) EXPECT_EQ(band[i], 0);
      const Eigen own = eigen_of(e, m, s);
      double sum = 0;
      for (const double u : own.u) sum += 1 / u;
      EXPECT_NEAR(trace[k * static_cast<std::size_t>(slots()) + static_cast<std::size_t>(s)] / sum,
                  1, 1e-6);
    }
  }
  EXPECT_GT(solved, 0);
}

// Stage by stage, to name the first stage that depends on other patches.
TEST_F(FibersTest, ResultsDoNotDependOnOtherPatches) {
  struct Stages {
    std::vector<double> band, pair, factor, f, P;
    std::vector<float> E;
    std::vector<int> status;
    std::vector<PatchResult> results;
  };
  const auto run = [&](const std::vector<Patch>& of) {
    frame->load(inputs(), of);
    const int count = static_cast<int>(of.size());
    workspace->begin(make_batch(*frame, 0, count, frame->evaluate_spots(0, count)), inputs());
    workspace->assemble();
    workspace->factor();
    workspace->sweep();
    workspace->correct();
    workspace->roots();
    workspace->add_terms();
    workspace->quality();
    const FiberLayout layout = workspace->layout();
    const auto mine = of.size() * static_cast<std::size_t>(layout.nslots);
    const auto bands = mine * static_cast<std::size_t>(layout.band_size());
    Stages stages;
    stages.band = gpu::to_host<double>(workspace->bands().band, bands, stream());
    stages.pair = gpu::to_host<double>(
        workspace->bands().pair, mine * static_cast<std::size_t>(layout.pair_size()), stream());
    stages.factor = gpu::to_host<double>(workspace->fibers().factor, bands, stream());
    stages.f = gpu::to_host<double>(workspace->fibers().f,
                                    mine * static_cast<std::size_t>(layout.nwave), stream());
    stages.P =
        gpu::to_host<double>(workspace->complements().band,
                             workspace->batch().cores.size() *
                                 static_cast<std::size_t>(SchurComplements::band_size(layout)),
                             stream());
    stages.E =
        gpu::to_host<float>(workspace->complements().outside,
                            workspace->batch().cores.size() *
                                count_of(layout.nwave, fiber_roots::stride_of_E(layout.nwave)),
                            stream());
    stages.status = gpu::to_host<int>(frame->status(), of.size(), stream());
    stages.results = frame->download();
    return stages;
  };
  const Stages all = run(patches);
  const Stages some = run({patches.begin() + 3, patches.begin() + 5});
  // Compare bits, because unwritten numbers are NaN.
  const auto expect_same = [](const auto& few, const auto& many, const char* what) {
    const std::size_t size = few.size() / 2;
    ASSERT_GE(many.size(), 5 * size);
    EXPECT_EQ(std::memcmp(few.data(), many.data() + 3 * size, 2 * size * sizeof(few[0])), 0)
        << what;
  };
  expect_same(some.band, all.band, "band");
  expect_same(some.pair, all.pair, "pair");
  expect_same(some.factor, all.factor, "factor");
  expect_same(some.f, all.f, "f");
  expect_same(some.P, all.P, "P");
  expect_same(some.E, all.E, "E");
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(some.status[k], all.status[k + 3]);
    EXPECT_EQ(some.results[k].flux, all.results[k + 3].flux) << "status " << some.status[k];
    EXPECT_EQ(some.results[k].resolution, all.results[k + 3].resolution);
  }
}

TEST_F(FibersTest, SpectraAgreeWithTheReference) {
  workspace->assemble();
  workspace->factor();
  workspace->sweep();
  workspace->correct();
  workspace->roots();
  workspace->add_terms();
  workspace->quality();
  const auto status = gpu::to_host<int>(frame->status(), patches.size(), stream());
  const std::vector<PatchResult> results = frame->download();
  ExtractOptions by_cholesky = options;
  by_cholesky.method = Method::cholesky;
  StageTimes times;
  const std::vector<PatchResult> expected =
      spex::extract_patches({&psf, &pixels, grid, by_cholesky}, patches, 1, times, [](long) {});
  int solved = 0;
  for (std::size_t k = 0; k < patches.size(); ++k) {
    // The GPU's bands are at least as wide, so that it rejects no more patches.
    EXPECT_LE(status[k] == guarded, expected[k].status == PatchStatus::guarded) << k;
    if (status[k] != 0) continue;
    ++solved;
    for (std::size_t j = 0; j < expected[k].flux.size(); ++j) {
      EXPECT_NEAR(results[k].flux[j] * std::sqrt(expected[k].ivar[j]),
                  expected[k].flux[j] * std::sqrt(expected[k].ivar[j]), 1e-9);
      EXPECT_NEAR(results[k].ivar[j], expected[k].ivar[j], 1e-9 * expected[k].ivar[j]);
    }
    for (std::size_t j = 0; j < expected[k].resolution.size(); ++j)
      EXPECT_NEAR(results[k].resolution[j], expected[k].resolution[j], 1e-8);
  }
  EXPECT_GT(solved, 0);
}

}  // namespace
}  // namespace spex::gpu
