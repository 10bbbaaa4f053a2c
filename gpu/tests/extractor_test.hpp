// A small frame by the CPU and by the GPU, for tests of whole extractions.
#pragma once

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/extract/extract_patches.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex::gpu::test {

/// 11 fibers in bundles of 6 and 5 on 70 x 60 pixels of noise, by the CPU and by an engine.
class ExtractorTest : public GpuTest {
 protected:
  ExtractorTest() {
    options.bundlesize = 6;
    options.nsubbundles = 2;
    options.nwavestep = 13;
    options.wavepad = 5;
  }

  std::vector<PatchResult> on_cpu(const std::vector<Patch>& patches) {
    StageTimes times;
    return spex::extract_patches(inputs(), patches, 2, times, [](long) {});
  }
  // By Cholesky factors where there is such a solution: beside masked bins an eigendecomposition of
  // N loses digits, more or fewer by the instructions of the processor (section 8).
  std::vector<PatchResult> precisely(const std::vector<Patch>& patches) {
    const Method method = options.method;
    if (options.decorrelate == Decorrelate::signal) options.method = Method::cholesky;
    std::vector<PatchResult> results = on_cpu(patches);
    options.method = method;
    return results;
  }
  std::vector<PatchResult> on_gpu(const std::vector<Patch>& patches, Milestone milestone) {
    Extractor extractor({.device = 0, .poison = true});
    StageTimes times;
    options.milestone = milestone;
    return extractor.extract_patches(inputs(), patches, times, [](long) {}).patches;
  }
  [[nodiscard]] ExtractInputs inputs() const { return {&psf, &pixels, grid, options}; }
  [[nodiscard]] std::vector<Patch> patches() const {
    return make_patches(options, grid, psf.nfiber);
  }

  Psf psf = spex::test::make_psf({.nfiber = 11, .nx = 70, .ny = 60, .x_first = 2});
  Pixels pixels = spex::test::make_pixels_of_noise(70, 60);
  WaveGrid grid = make_wave_grid({982, 1016, 0.8});
  ExtractOptions options;
};

/// Section 8: 1e-6 at production padding.
inline void expect_close(const PatchResult& gpu, const PatchResult& cpu) {
  ASSERT_EQ(gpu.nspec, cpu.nspec);
  ASSERT_EQ(gpu.nwave, cpu.nwave);
  ASSERT_EQ(gpu.ndiagonals, cpu.ndiagonals);
  for (std::size_t j = 0; j < cpu.flux.size(); ++j) {
    ASSERT_EQ(gpu.ivar[j] > 0, cpu.ivar[j] > 0) << j;
    EXPECT_LE(std::abs(gpu.flux[j] - cpu.flux[j]) * std::sqrt(cpu.ivar[j]), 1e-6) << j;
    EXPECT_LE(std::abs(gpu.ivar[j] - cpu.ivar[j]), 1e-6 * cpu.ivar[j]) << j;
    EXPECT_LE(std::abs(gpu.chi2pix[j] - cpu.chi2pix[j]), 1e-6 * cpu.chi2pix[j] + 1e-12) << j;
    EXPECT_NEAR(gpu.pixmask_fraction[j], cpu.pixmask_fraction[j], 1e-12) << j;
    EXPECT_EQ(gpu.pulled[j], cpu.pulled[j]) << j;
  }
  ASSERT_EQ(gpu.f.size(), cpu.f.size());
  for (std::size_t j = 0; j < cpu.f.size(); ++j)
    EXPECT_LE(std::abs(gpu.f[j] - cpu.f[j]) * std::sqrt(cpu.ivar[j]), 1e-6) << j;
  for (std::size_t j = 0; j < cpu.resolution.size(); ++j)
    EXPECT_NEAR(gpu.resolution[j], cpu.resolution[j], 1e-6) << j;
}

/// The same of all patches of a frame.
inline void expect_close(const std::vector<PatchResult>& gpu, const std::vector<PatchResult>& cpu) {
  ASSERT_EQ(gpu.size(), cpu.size());
  for (std::size_t k = 0; k < gpu.size(); ++k) {
    SCOPED_TRACE(k);
    EXPECT_NE(gpu[k].status, PatchStatus::failed);
    expect_close(gpu[k], cpu[k]);
  }
}

}  // namespace spex::gpu::test
