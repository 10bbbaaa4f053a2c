// A simulated exposure of three cameras, and runs of spex-cpu on it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/tests/programs/spex_cpu_runs.hpp"
#include "reference/sim/simulate.hpp"

namespace spex::test {

/// The exposure in `night`, and the folder `out`.
class ExposureProgram : public testing::Test {
 protected:
  ExposureProgram() {
    SimOptions options;
    options.folder = scratch.file("night");
    options.size = SimSize::tiny;
    options.cameras = parse_cameras("b0,b1,b2");
    options.program = "test";
    simulate(options);
    std::filesystem::create_directory(scratch.file("out"));
  }

  [[nodiscard]] Options of_exposure(const Options& changes = {}) const {
    return with(
        with(common, {{"--exposure", scratch.file("night")}, {"--outdir", scratch.file("out")}}),
        changes);
  }
  // Runs on two ranks.
  [[nodiscard]] Finished run_with_fault(const std::string& fault) const {
    std::vector<std::string> launcher = mpirun(2);
    launcher.insert(launcher.end(), {"env", "SPEX_FAULT=" + fault});
    return run_spex_cpu(of_exposure({{"--log-file", scratch.file("run.log")}}), launcher,
                        spex_cpu_with_faults);
  }
  [[nodiscard]] std::string file(const std::string& kind, const std::string& camera) const {
    return scratch.file("night/" + kind + "-" + camera + "-00000001.fits");
  }
  void expect_outputs(const std::vector<std::string>& cameras) const {
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(scratch.file("out")))
      found += entry.is_regular_file() ? 1 : 0;
    EXPECT_EQ(found, cameras.size());
    for (const std::string& camera : cameras) {
      const std::string alone = scratch.file("alone.fits");
      ASSERT_EQ(run_spex_cpu(with(common, {{"-i", file("preproc", camera)},
                                           {"-p", file("psf", camera)},
                                           {"-o", alone}}))
                    .status,
                0);
      EXPECT_TRUE(read_file(alone) ==
                  read_file(scratch.file("out/frame-" + camera + "-00000001.fits")))
          << camera;
    }
  }

  const Options common{{"-w", "3600,3608,0.8"},
                       {"--nwavestep", "11"},
                       {"--wavepad", "2"},
                       {"--threads", "1"},
                       {"--loglevel", "error"}};
  ScratchFolder scratch;
};

}  // namespace spex::test
