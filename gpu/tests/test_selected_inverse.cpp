// N_ss^-1 within its band from the factor by block cyclic reduction, compared with Takahashi's
// equations.
#include <cmath>
#include <random>

#include "gpu/extract/frame_flux/frame_system_memory.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "gpu/tests/read_inverse.hpp"
#include "reference/core/count.hpp"
#include "reference/linalg/band_matrix.hpp"

namespace spex::gpu {
namespace {

// Two fibers in a bundle, beside one that is not solved. Bands beyond m are of no fiber's.
struct Fibers {
  static constexpr int nspec = 3;
  int m, nwave, R;
  std::vector<double> band, pair, prior, zeros;

  Fibers(int bins, int reach) : m(bins), nwave(bins + 3), R(reach) {
    std::mt19937_64 random(static_cast<std::uint64_t>(17 * bins + reach));
    std::uniform_real_distribution<double> uniform(-1, 1);
    band.resize(count_of(nspec, nwave, R + 1));
    for (double& value : band) value = uniform(random);
    for (int k = 0; k < nspec * nwave; ++k) {
      band[count_of(k, R + 1)] = 2 * R + 1;
      prior.push_back(0.1 + 0.1 * uniform(random));
    }
    pair.resize(count_of(nspec, nwave, 2 * R + 1));
    zeros.resize(count_of(nspec, nwave));
  }

  [[nodiscard]] BandMatrix inverse(int s) const {
    BandMatrix N(m, std::min(R, m - 1));
    for (int v = 0; v < m; ++v)
      for (int d = 0; d <= N.reach && v + d < m; ++d)
        N.at(v, d) = band[count_of(s * nwave + v, R + 1) + static_cast<std::size_t>(d)] +
                     (d == 0 ? prior[count_of(s * nwave + v)] : 0);
    EXPECT_TRUE(N.factor());
    return N.band_of_inverse();
  }
};

class SelectedInverse : public test::GpuTest {};

TEST_F(SelectedInverse, AgreesWithTheReference) {
  for (const int R : {8, 9, 10, 12})
    for (const int m : {1, R - 1, R, R + 1, 3 * R + 1, 8 * R, 8 * R + 1, 9 * R, 24 * R + 5, 1003}) {
      SCOPED_TRACE(testing::Message() << "reach " << R << ", " << m << " bins");
      const Fibers fibers(m, R);
      const auto band = to_device(fibers.band), pair = to_device(fibers.pair);
      const auto prior = to_device(fibers.prior), zeros = to_device(fibers.zeros);
      FrameBands bands;
      bands.nspec = Fibers::nspec, bands.nwave = fibers.nwave, bands.reach = R;
      bands.band = band.get(), bands.pair = pair.get(), bands.y = zeros.get();
      FrameSystemMemory memory(true);
      FrameSystem system = memory.make(bands, m, 1, {{0, 2, 0}, {0, 2, 0}, {}}, stream());
      system.prior = prior.get();
      begin_frame(system, stream());
      factor_frame(system, stream());
      const auto inverse = poisoned<double>(Fibers::nspec * inverse_numbers(R, m));
      invert_fibers(system, inverse.get(), stream());
      const auto read = poisoned<double>(count_of(Fibers::nspec, m, R + 1));
      test::read_inverse(system, inverse.get(), read.get(), stream());
      const std::vector<double> found = to_host(read);
      for (int s = 0; s < 2; ++s) {
        const BandMatrix expected = fibers.inverse(s);
        for (int v = 0; v < m; ++v)
          for (int d = 0; d <= expected.reach && v + d < m; ++d)
            ASSERT_NEAR(found[count_of(s * m + v, R + 1) + static_cast<std::size_t>(d)],
                        expected.at(v, d), 1e-14)
                << s << " " << v << " " << d;
      }
      EXPECT_TRUE(std::isnan(found[count_of(2 * m, R + 1)])) << "the third fiber is not solved";
    }
}

}  // namespace
}  // namespace spex::gpu
