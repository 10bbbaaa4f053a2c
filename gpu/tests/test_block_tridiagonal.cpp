#include <cmath>
#include <random>

#include "gpu/linalg/block_tridiagonal.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"
#include "reference/linalg/block_tridiagonal.hpp"

namespace spex::gpu {
namespace {

using BandCholesky = test::GpuTest;

// A random diagonally dominant band matrix in both storage formats.
struct Band {
  BandLayout layout;
  BlockTridiagonal reference;
  std::vector<double> panels;

  explicit Band(const BandLayout& band, std::uint64_t seed)
      : layout(band), reference(band.rows(), band.size()), panels(band.patch_size()) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int j = 0; j < layout.rows(); ++j)
      for (int i = j; i < layout.rows() && i / layout.size() <= j / layout.size() + 1; ++i) {
        const double value = i == j ? 4.0 * layout.size() + uniform(random) : uniform(random);
        reference.at(i, j) = value;
        const int b = j / layout.size();
        panels[b * layout.panel_size() +
               static_cast<std::size_t>(j - b * layout.size()) * 2 *
                   static_cast<std::size_t>(layout.size()) +
               static_cast<std::size_t>(i - b * layout.size())] = value;
      }
  }
};

TEST_F(BandCholesky, AgreesWithTheReference) {
  for (const BandLayout layout :
       {BandLayout{1, 1, 1}, BandLayout{3, 2, 7}, BandLayout{7, 8, 74}, BandLayout{5, 11, 40}}) {
    constexpr int count = 3;
    std::vector<double> panels, y, expected;
    for (int k = 0; k < count; ++k) {
      Band band(layout, 7 + k);
      panels.insert(panels.end(), band.panels.begin(), band.panels.end());
      std::vector<double> x;
      for (int j = 0; j < layout.rows(); ++j) x.push_back(std::sin(j + 10 * k));
      y.insert(y.end(), x.begin(), x.end());
      ASSERT_TRUE(band.reference.factor());
      band.reference.solve(x);
      expected.insert(expected.end(), x.begin(), x.end());
    }
    const DeviceBuffer<double> on_device = to_device(panels);
    const DeviceBuffer<double> f = to_device(y);
    const DeviceBuffer<double> M =
        poisoned<double>(count_of(count, layout.nblocks(), layout.size(), layout.size()));
    const DeviceBuffer<int> status = to_device<int>({0, 0, 0});
    factor_band({count, layout, on_device.get(), M.get(), f.get(), status.get()}, stream());
    EXPECT_EQ(to_host(status), (std::vector<int>{0, 0, 0}));
    const std::vector<double> solved = to_host(f);
    for (std::size_t j = 0; j < solved.size(); ++j)
      ASSERT_NEAR(solved[j], expected[j], 1e-13) << layout.size() << " " << j;
  }
}

// One matrix is not positive definite, one contains NaN; the third must not be affected.
TEST_F(BandCholesky, FailuresAffectOnlyTheirPatch) {
  const BandLayout layout{3, 4, 12};
  std::vector<double> panels;
  for (int k = 0; k < 3; ++k) {
    Band band(layout, 5);
    if (k == 0) band.panels[0] = -1;
    if (k == 1) band.panels[layout.panel_size()] = std::nan("");
    panels.insert(panels.end(), band.panels.begin(), band.panels.end());
  }
  const DeviceBuffer<double> on_device = to_device(panels);
  const std::vector<double> ones(3 * layout.rows(), 1.0);
  const DeviceBuffer<double> f = to_device(ones);
  const DeviceBuffer<double> M =
      poisoned<double>(count_of(3, layout.nblocks(), layout.size(), layout.size()));
  const DeviceBuffer<int> status = to_device<int>({0, 0, 0});
  factor_band({3, layout, on_device.get(), M.get(), f.get(), status.get()}, stream());
  EXPECT_EQ(to_host(status), (std::vector<int>{1, 1, 0}));
  Band good(layout, 5);
  ASSERT_TRUE(good.reference.factor());
  std::vector<double> x(layout.rows(), 1.0);
  good.reference.solve(x);
  const std::vector<double> solved = to_host(f);
  for (std::size_t j = 0; j < x.size(); ++j) EXPECT_NEAR(solved[2 * x.size() + j], x[j], 1e-13);
}

}  // namespace
}  // namespace spex::gpu
