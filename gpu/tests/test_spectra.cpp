#include <gmock/gmock.h>

#include "gpu/extract/batch/spectra.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

using testing::Each;

// A patch of 2 core fibers after one padding fiber, and 3 core bins between 2 padding bins on each
// side, at fiber 1 and bin 1 of a grid of 5 fibers and 6 bins; one diagonal on either side.
class Spectra : public test::GpuTest {
 protected:
  static constexpr int nspec = 5, nwave = 6, ndiag = 1, m = 7;

  Spectra() {
    patch.spec0 = 1;
    patch.wave0 = 0;
    patch.nspec = 3;
    patch.nwave = m;
    patch.pad_below = 1;
    patch.ncore = 2;
    patch.wavepad = 2;
    patch.nkept = 3;
  }
  void SetUp() override {
    GpuTest::SetUp();
    values = poisoned<double>(spectra_size(nspec, nwave, ndiag));
    // The patch's first padding bin is bin -1 of the grid.
    view = view_spectra(values.get(), nspec, nwave, ndiag, -1);
  }
  [[nodiscard]] std::vector<double> read(const double* from, int rows_per_fiber = 1) const {
    return gpu::to_host(from, count_of(nspec, rows_per_fiber, nwave), stream());
  }
  static bool is_core(int fiber, int bin) { return fiber >= 2 && fiber < 4 && bin >= 1 && bin < 4; }

  PatchGeometry patch;
  DeviceBuffer<double> values;
  SpectraView view;
};

TEST_F(Spectra, ViewsDoNotOverlapAndFillTheArray) {
  EXPECT_EQ(view.flux, values.get());
  EXPECT_EQ(view.ivar, view.flux + 30);
  EXPECT_EQ(view.chi2pix, view.ivar + 30);
  EXPECT_EQ(view.pixmask_fraction, view.chi2pix + 30);
  EXPECT_EQ(view.resolution, view.pixmask_fraction + 30);
  EXPECT_EQ(static_cast<void*>(view.pulled), view.resolution + 90);
  EXPECT_EQ(values.count(), 4 * 30 + 3 * 30 + 4);  // 30 bytes of `pulled`
  EXPECT_EQ(view.core_bin(patch), 1);
}

TEST_F(Spectra, ClearedSpectraAreZeroAndMasked) {
  clear_spectra(view, stream());
  EXPECT_THAT(read(view.flux), Each(0.0));
  EXPECT_THAT(read(view.ivar), Each(0.0));
  EXPECT_THAT(read(view.chi2pix), Each(0.0));
  EXPECT_THAT(read(view.pixmask_fraction), Each(1.0));
  EXPECT_THAT(read(view.resolution, 3), Each(0.0));
}

TEST_F(Spectra, ClearFailedResetsOnlyTheCoreOfFailedPatches) {
  const std::vector<double> ones(values.count(), 1.0);
  for (const int status : {0, 1, guarded}) {
    values = to_device(ones);
    view = view_spectra(values.get(), nspec, nwave, ndiag, -1);
    const DeviceBuffer<PatchGeometry> patches = to_device<PatchGeometry>({patch});
    const DeviceBuffer<int> statuses = to_device<int>({status});
    clear_failed(patches.get(), 1, statuses.get(), view, stream());
    const std::vector<double> flux = read(view.flux), resolution = read(view.resolution, 3);
    for (int fiber = 0; fiber < nspec; ++fiber)
      for (int bin = 0; bin < nwave; ++bin) {
        const double expected = status == 1 && is_core(fiber, bin) ? 0 : 1;
        EXPECT_EQ(flux[count_of(fiber, nwave) + bin], expected);
        for (int d = 0; d < 3; ++d)
          EXPECT_EQ(resolution[count_of(fiber * 3 + d, nwave) + bin], expected);
      }
    EXPECT_THAT(read(view.pixmask_fraction), Each(1.0));
  }
}

// A 7 x 7 Q with rows that are easy to check by hand, for both core spectra; one bin has no
// constraint.
TEST_F(Spectra, SignalAndNoiseFollowSectionFive) {
  const DeviceBuffer<PatchGeometry> patches = to_device<PatchGeometry>({patch});
  const DeviceBuffer<CoreSpectrum> cores = to_device<CoreSpectrum>({{0, 0}, {0, 1}});
  std::vector<double> Q(count_of(2, m, m)), f(count_of(3, m)), q(f.size(), 1.0);
  std::vector<double> r(f.size(), -1.0), Qf(f.size(), -1.0);
  for (std::size_t j = 0; j < f.size(); ++j) f[j] = 10 + static_cast<double>(j);
  for (int s = 0; s < 2; ++s)
    for (int row = 0; row < m; ++row) {
      double sum = 0, product = 0;
      for (int column = 0; column < m; ++column) {
        const double value = row == column ? 4 + s : 1.0 / (1 + std::abs(row - column));
        Q[count_of(s, m, m) + count_of(column, m) + row] = value;
        sum += value;
        product += value * f[count_of(s + 1, m) + column];
      }
      r[count_of(s + 1, m) + row] = sum;
      Qf[count_of(s + 1, m) + row] = product;
    }
  q[count_of(m) + 3] = 0;  // spectrum 0, core bin 1
  const DeviceBuffer<double> Q_device = to_device(Q), f_device = to_device(f),
                             q_device = to_device(q), r_device = to_device(r),
                             Qf_device = to_device(Qf), work = poisoned<double>(count_of(2, 2, m));
  for (const bool signal : {true, false}) {
    SCOPED_TRACE(signal);
    clear_spectra(view, stream());
    const DeviceBuffer<int> status = to_device<int>({0});
    const CoreBatch batch{patches.get(),  cores.get(),  2,   m, {3 * m, m, 1},
                          q_device.get(), status.get(), view};
    if (signal)
      store_signal(batch, Q_device.get(), f_device.get(), work.get(), stream());
    else
      store_noise(batch, Q_device.get(), r_device.get(), Qf_device.get(), stream());
    EXPECT_EQ(to_host(status), std::vector<int>{0});
    const std::vector<double> flux = read(view.flux), ivar = read(view.ivar),
                              resolution = read(view.resolution, 3);
    for (int fiber = 0; fiber < nspec; ++fiber)
      for (int bin = 0; bin < nwave; ++bin) {
        const bool stored = is_core(fiber, bin) && !(fiber == 2 && bin == 2);
        const int s = fiber - 2, column = bin + 1;
        const auto at = [&](int row) { return count_of(s + 1, m) + row; };
        const std::size_t j = count_of(fiber, nwave) + bin;
        EXPECT_NEAR(flux[j], stored ? Qf[at(column)] / r[at(column)] : 0, 1e-13);
        EXPECT_NEAR(ivar[j], stored ? r[at(column)] * r[at(column)] : 0, 1e-12);
        for (int d = 0; d < 3; ++d) {
          const int row = column - 1 + d;
          const double R =
              stored ? Q[count_of(s, m, m) + count_of(column, m) + row] / r[at(row)] : 0;
          EXPECT_NEAR(resolution[count_of(fiber * 3 + d, nwave) + bin], R, 1e-15);
        }
      }
  }
}

// More bins than a block's shared memory could hold.
TEST_F(Spectra, LongSpectra) {
  constexpr int long_m = 7001;
  patch = {};
  patch.nspec = patch.ncore = 1;
  patch.nwave = patch.nkept = long_m;
  const DeviceBuffer<PatchGeometry> patches = to_device<PatchGeometry>({patch});
  const DeviceBuffer<CoreSpectrum> cores = to_device<CoreSpectrum>({{0, 0}});
  std::vector<double> Q(count_of(long_m, long_m), 0.0);
  std::vector<double> f;
  for (int j = 0; j < long_m; ++j) {
    Q[count_of(j, long_m) + j] = 2;
    f.push_back(j);
  }
  const DeviceBuffer<double> Q_device = to_device(Q), f_device = to_device(f),
                             work = poisoned<double>(count_of(2, long_m));
  values = poisoned<double>(spectra_size(1, long_m, ndiag));
  view = view_spectra(values.get(), 1, long_m, ndiag, 0);
  const DeviceBuffer<double> q = to_device(std::vector<double>(count_of(long_m), 1.0));
  const DeviceBuffer<int> status = to_device<int>({0});
  const CoreBatch batch{patches.get(), cores.get(),  1,   long_m, {long_m, long_m, 1},
                        q.get(),       status.get(), view};
  store_signal(batch, Q_device.get(), f_device.get(), work.get(), stream());
  EXPECT_EQ(to_host(status), std::vector<int>{0});
  EXPECT_EQ(gpu::to_host(view.flux, count_of(long_m), stream()), f);
  EXPECT_THAT(gpu::to_host(view.ivar, count_of(long_m), stream()), Each(4.0));
}

TEST_F(Spectra, NonFiniteNumbersFailThePatch) {
  const DeviceBuffer<PatchGeometry> patches = to_device<PatchGeometry>({patch, patch});
  const DeviceBuffer<CoreSpectrum> cores = to_device<CoreSpectrum>({{0, 1}, {1, 1}});
  std::vector<double> Q(count_of(2, m, m), 1.0);
  Q[count_of(1, m, m) + count_of(3, m) + 3] = std::numeric_limits<double>::infinity();
  const DeviceBuffer<double> Q_device = to_device(Q), f = to_device(std::vector<double>(42, 1.0)),
                             work = poisoned<double>(count_of(2, 2, m));
  clear_spectra(view, stream());
  const DeviceBuffer<int> status = to_device<int>({0, 0});
  const CoreBatch batch{patches.get(), cores.get(),  2,   m, {3 * m, m, 1},
                        f.get(),       status.get(), view};
  store_signal(batch, Q_device.get(), f.get(), work.get(), stream());
  EXPECT_EQ(to_host(status), (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace spex::gpu
