// Simulates tiny cameras into a scratch folder.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "reference/sim/simulate.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::test {

/// A scratch folder, in which tests simulate tiny cameras.
class Simulate : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / ("spex-sim-" + std::string(test->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Options of an exposure in the folder `name`, whose files it may replace.
  [[nodiscard]] SimOptions tiny(const std::string& name, const std::string& cameras = "r0") const {
    SimOptions options;
    options.folder = (folder_ / name).string();
    options.cameras = parse_cameras(cameras);
    options.size = SimSize::tiny;
    options.on_grid = true;
    options.expid = 51060;
    options.program = "spex-sim";
    options.overwrite = true;
    return options;
  }
  /// A file of r0 in the folder `name`.
  [[nodiscard]] std::filesystem::path file(const std::string& name, const std::string& kind,
                                           const std::string& ending = "") const {
    return folder_ / name / (kind + "-r0-00051060.fits" + ending);
  }

  std::filesystem::path folder_;
};

}  // namespace spex::test
