// spex-cpu writes the same bytes for any number of threads and ranks.

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/tests/programs/cpu_milestones.hpp"
#include "mpi/tests/programs/spex_cpu_runs.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/psf/spots.hpp"
#include "reference/tests/support/change_fits.hpp"

namespace spex::test {
namespace {

class SameBytes : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  // The concatenated frame and model of a run.
  std::string bytes(int threads, const std::vector<std::string>& launcher = {}) {
    const ScratchFolder scratch;
    const std::string frame = scratch.file("frame.fits");
    const std::string model = scratch.file("model.fits");
    const Finished run = run_spex_cpu(with(tiny_b(frame), {{"-m", model},
                                                           {"--full-precision", ""},
                                                           {"--method", method},
                                                           {"--milestone", milestone},
                                                           {"--threads", std::to_string(threads)}}),
                                      launcher);
    EXPECT_EQ(run.status, 0) << run.err;
    return run.status == 0 ? read_file(frame) + read_file(model) : "";
  }

  const std::string method = std::get<0>(GetParam());
  const std::string milestone = std::get<1>(GetParam());
};

// 2 bundles, 10 subbundles, 30 patches: 3 ranks exceed the bundles, 13 ranks the subbundles. All
// numbers of ranks for one milestone of each method; the others share its assignment of patches.
TEST_P(SameBytes, ForAnyThreadsAndRanks) {
  const std::string one = bytes(1);
  ASSERT_FALSE(one.empty());
  EXPECT_TRUE(bytes(2) == one);
  EXPECT_TRUE(bytes(4) == one);
  const bool all = (milestone == "baseline") == (method == "eigh") && milestone != "scalar";
  for (const int ranks : all ? std::vector{1, 2, 3, 5, 13} : std::vector{3})
    EXPECT_TRUE(bytes(1, mpirun(ranks)) == one) << ranks;
  EXPECT_TRUE(bytes(2, mpirun(2)) == one);
}

INSTANTIATE_TEST_SUITE_P(SpexCpu, SameBytes,
                         testing::Combine(testing::ValuesIn(std::vector<std::string>{"eigh",
                                                                                     "cholesky"}),
                                          testing::ValuesIn(cpu_milestones())));

// --flux frame: ranks that share a bundle each solve the whole bundle.
TEST(SpexCpu, FluxOfTheFrameIsTheSameForAnyRanksAndThreads) {
  const ScratchFolder scratch;
  const Options frame =
      with(tiny_b(scratch.file("a.fits")), {{"--flux", "frame"}, {"--method", "cholesky"}});
  ASSERT_EQ(run_spex_cpu(with(frame, {{"--threads", "1"}})).status, 0);
  const std::string alone = read_file(scratch.file("a.fits"));
  for (const int ranks : {1, 3, 5}) {
    const Finished run =
        run_spex_cpu(with(frame, {{"-o", scratch.file("b.fits")}, {"--threads", "2"}}),
                     ranks == 1 ? std::vector<std::string>{} : mpirun(ranks));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(read_file(scratch.file("b.fits")) == alone) << ranks;
  }
}

// --reject-pixels, with a cosmic ray in each bundle, and one beyond the rows of all patches: ranks
// that share a bundle each find its pixels.
TEST(SpexCpu, RejectedPixelsAreTheSameForAnyRanksAndThreads) {
  const ScratchFolder scratch;
  const std::string image = scratch.copy_of(golden + "tiny-b/preproc.fits", "preproc.fits");
  const Psf psf = read_psf(golden + "tiny-b/psf.fits");
  const long long nx = read_image(image, "IMAGE").axes.at(0);
  long long beyond = 0;
  for (const auto& [fiber, wave] : {std::pair{1, 3628.0}, std::pair{7, 3628.0}, {3, 3617.0}}) {
    const Center center = spot_center(psf, fiber, wave);
    beyond = (std::llround(center.y) - 4) * nx + std::llround(center.x);
    set_pixels(image, "IMAGE", beyond, {9000});
  }
  for (const char* flux : {"patch", "frame"}) {
    const Options options =
        with(tiny_b(scratch.file("a.fits")), {{"-i", image},
                                              {"--reject-pixels", "6"},
                                              {"--flux", flux},
                                              {"--pixpad-frac", "0"},
                                              {"--rejected-pixels", scratch.file("a-mask.fits")}});
    ASSERT_EQ(run_spex_cpu(with(options, {{"--threads", "1"}})).status, 0);
    EXPECT_GT(FitsReader(scratch.file("a.fits")).get_integer("NREJPIX"), 2);
    EXPECT_NE(read_image(scratch.file("a-mask.fits"), "MASK").value.at(beyond), 0);
    const std::string alone =
        read_file(scratch.file("a.fits")) + read_file(scratch.file("a-mask.fits"));
    for (const int ranks : {1, 2, 3, 5}) {
      const Finished run =
          run_spex_cpu(with(options, {{"-o", scratch.file("b.fits")},
                                      {"--rejected-pixels", scratch.file("b-mask.fits")},
                                      {"--threads", "2"}}),
                       ranks == 1 ? std::vector<std::string>{} : mpirun(ranks));
      ASSERT_EQ(run.status, 0) << run.err;
      EXPECT_TRUE(read_file(scratch.file("b.fits")) + read_file(scratch.file("b-mask.fits")) ==
                  alone)
          << flux << " " << ranks;
    }
  }
}

// More ranks than patches.
TEST(SpexCpu, RanksWithoutWork) {
  const ScratchFolder scratch;
  const Options one_patch =
      with(tiny_b(scratch.file("a.fits")),
           {{"-s", "2"}, {"-n", "1"}, {"-w", "3620,3624,0.8"}, {"--milestone", "baseline"}});
  ASSERT_EQ(run_spex_cpu(one_patch).status, 0);
  const Finished run = run_spex_cpu(with(one_patch, {{"-o", scratch.file("b.fits")}}), mpirun(3));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(read_file(scratch.file("a.fits")) == read_file(scratch.file("b.fits")));
}

}  // namespace
}  // namespace spex::test
