// f of the frame by block cyclic reduction and sweeps, for synthetic bundles, compared with a band
// Cholesky of each bundle.
#include <cmath>
#include <random>

#include "gpu/extract/frame_flux/frame_flux.hpp"
#include "gpu/extract/frame_flux/sweep_progress.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"
#include "reference/linalg/band_matrix.hpp"

namespace spex::gpu {
namespace {

// Spots of one pixel; bin w of all fibers is in row w; fibers 0 and 2 share columns.
struct PixelSpots {
  static constexpr int nx = 12;
  std::vector<double> value;
  std::vector<int> xc, yc;
  std::vector<double> weight;

  PixelSpots(int nspec, int nwave, double W)
      : value(count_of(nspec, nwave), 1.0), weight(count_of(nwave, nx), W) {
    for (int s = 0; s < nspec; ++s)
      for (int w = 0; w < nwave; ++w) xc.push_back(s == 2 ? 0 : 2 * s), yc.push_back(w);
  }
};

// Two bundles of three and two fibers, with a fiber outside of any bundle between them.
const std::vector<BundleOfFiber> places{{0, 3, 0}, {0, 3, 0}, {0, 3, 0}, {}, {4, 6, 1}, {4, 6, 1}};

// Diagonally dominant bands with a coupling of 1 % between neighbors, and more bins than the grid,
// as in the last patches.
struct Bundles {
  int nspec = static_cast<int>(places.size());
  int m, nwave, R;
  std::vector<double> band, pair, prior, y;
  std::vector<unsigned char> far;

  Bundles(int bins, int reach, std::uint64_t seed) : m(bins), nwave(bins + 3), R(reach) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto fill = [&](std::vector<double>& values, int width, double size) {
      values.resize(count_of(nspec, nwave, width));
      for (double& value : values) value = size * uniform(random);
    };
    fill(band, R + 1, 1.0);
    fill(pair, 2 * R + 1, 0.01);
    fill(prior, 1, 0.1);
    fill(y, 1, 10.0);
    for (int bin = 0; bin < nspec * nwave; ++bin) band[bin * (R + 1)] = 2 * R + 1;
    far.resize(count_of(nspec, nwave), 0);
  }

  [[nodiscard]] int bin(int s, int w) const { return s * nwave + w; }

  // f of fibers [begin, end), `[fiber][bin]`, by one band in wavelength order.
  [[nodiscard]] std::vector<double> solve(int begin, int end) const {
    const int n = end - begin;
    BandMatrix N(n * m, std::min((R + 1) * n, n * m - 1));
    const auto put = [&](int i, int j, double value) {
      N.at(std::min(i, j), std::abs(i - j)) = value;
    };
    std::vector<double> x(count_of(n, m));
    for (int s = 0; s < n; ++s)
      for (int w = 0; w < m; ++w) {
        const int here = bin(begin + s, w);
        x[w * n + s] = y[here];
        for (int d = 0; d <= R && w + d < m; ++d)
          put((w + d) * n + s, w * n + s, band[here * (R + 1) + d] + (d == 0 ? prior[here] : 0));
        for (int v = std::max(0, w - R); v <= std::min(m - 1, w + R) && s + 1 < n; ++v)
          put(v * n + s + 1, w * n + s, pair[here * (2 * R + 1) + v - w + R]);
      }
    EXPECT_TRUE(N.factor());
    N.solve(x.data());
    std::vector<double> f;
    for (int s = 0; s < n; ++s)
      for (int w = 0; w < m; ++w) f.push_back(x[w * n + s]);
    return f;
  }
};

class FrameSolve : public test::GpuTest {
 protected:
  struct Solved {
    std::vector<double> f;
    std::vector<SweepMoves> moved;
    std::vector<int> refused;
  };
  // Runs `sweeps` sweeps in two calls.
  [[nodiscard]] Solved solve(const Bundles& bundles, int sweeps, double weight = 0) const {
    const PixelSpots spots(bundles.nspec, bundles.nwave, weight);
    const auto value = to_device(spots.value), W = to_device(spots.weight);
    const auto xc = to_device(spots.xc), yc = to_device(spots.yc);
    SpotsView view;
    view.nspec = bundles.nspec, view.nwave = bundles.nwave, view.nx = view.ny = 1;
    view.value = value.get(), view.xc = xc.get(), view.yc = yc.get();
    const auto band = to_device(bundles.band), pair = to_device(bundles.pair);
    const auto y = to_device(bundles.y), prior = to_device(bundles.prior);
    const auto far = to_device(bundles.far);
    const auto place = to_device(places);
    const auto colored = to_device(color_fibers(places).fibers);
    const auto f = poisoned<double>(bundles.y.size());
    const auto factor =
        poisoned<double>(bundles.nspec * frame_factor_numbers(bundles.R, bundles.m));
    const auto sides = poisoned<double>(bundles.nspec * frame_side_numbers(bundles.R, bundles.m));
    const auto moved = poisoned<SweepMoves>(2 * max_frame_sweeps);
    const auto refused = poisoned<int>(2);
    FrameSystem system;
    system.bands.nspec = bundles.nspec, system.bands.nwave = bundles.nwave;
    system.bands.reach = bundles.R;
    system.bands.band = band.get(), system.bands.pair = pair.get();
    system.bands.y = y.get(), system.bands.far = far.get();
    system.m = bundles.m, system.nbundles = 2;
    system.place = place.get(), system.colored = colored.get(), system.prior = prior.get();
    system.factor = factor.get(), system.f = f.get(), system.sides = sides.get();
    system.moved = moved.get(), system.refused = refused.get();
    begin_frame(system, stream());
    factor_frame(system, stream());
    const ColoredRange all = SweepProgress(places, 2).left();
    sweep_frame(system, 0, 2, all, stream());
    sweep_frame(system, 2, sweeps, all, stream());
    refuse_far_light(view, {PixelSpots::nx, bundles.nwave, nullptr, W.get()}, system, stream());
    return {to_host(f), to_host(moved), to_host(refused)};
  }

  static void expect_solution(const Bundles& bundles, const Solved& solved, int begin, int end) {
    const std::vector<double> expected = bundles.solve(begin, end);
    for (int s = begin; s < end; ++s)
      for (int w = 0; w < bundles.m; ++w) {
        const int here = bundles.bin(s, w);
        const double root = std::sqrt(bundles.band[here * (bundles.R + 1)] + bundles.prior[here]);
        EXPECT_NEAR(solved.f[here], expected[(s - begin) * bundles.m + w], 1e-11 / root)
            << "reach " << bundles.R << ", " << bundles.m << " bins: " << s << " " << w;
      }
  }
};

TEST_F(FrameSolve, EqualsTheDirectSolutionOfEachBundle) {
  constexpr int sweeps = 12;
  for (const int R : {8, 10, 12})
    for (const int m : {1, R, 3 * R + 1, 200, 1003}) {
      const Bundles bundles(m, R, 7 * m + R);
      const Solved solved = solve(bundles, sweeps);
      EXPECT_EQ(solved.refused, (std::vector<int>{0, 0}));
      // Converged before the last sweep, but not immediately.
      EXPECT_EQ(solved.moved[2 * (sweeps - 1)].largest(), 0);
      EXPECT_EQ(solved.moved[2 * (sweeps - 1) + 1].largest(), 0);
      EXPECT_GT(solved.moved[2].largest(), frame_bounds::settled);
      EXPECT_GT(solved.moved[3].largest(), frame_bounds::settled);
      expect_solution(bundles, solved, 0, 3);
      expect_solution(bundles, solved, 4, 6);
    }
}

// The other bundle must not be affected.
TEST_F(FrameSolve, RejectsABundleWithANonPositivePivot) {
  Bundles bundles(300, 8, 3);
  bundles.band[bundles.bin(1, 203) * 9] = -1;
  const Solved solved = solve(bundles, 12);
  EXPECT_EQ(solved.refused, (std::vector<int>{1, 0}));
  expect_solution(bundles, solved, 4, 6);
}

// Only bins that share light without their prior are checked.
TEST_F(FrameSolve, RejectsABundleIfDistantFibersShareLight) {
  Bundles bundles(40, 8, 5);
  EXPECT_EQ(solve(bundles, 12, 1e-3).refused, (std::vector<int>{0, 0}));
  bundles.far[bundles.bin(0, 39)] = 1;
  bundles.far[bundles.bin(4, 20)] = 1;
  const Solved solved = solve(bundles, 12, 1e-3);
  EXPECT_EQ(solved.refused, (std::vector<int>{1, 0}));
  expect_solution(bundles, solved, 4, 6);
}

TEST_F(FrameSolve, AcceptsABundleIfThePriorOutweighsSharedLight) {
  Bundles bundles(40, 8, 5);
  bundles.far[bundles.bin(0, 39)] = 1;
  const Solved solved = solve(bundles, 12, 1e-12);
  EXPECT_EQ(solved.refused, (std::vector<int>{0, 0}));
  expect_solution(bundles, solved, 0, 3);
}

}  // namespace
}  // namespace spex::gpu
