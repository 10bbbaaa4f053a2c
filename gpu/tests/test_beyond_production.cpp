// Options that production does not have, by every engine, against the CPU reference.
#include <algorithm>

#include <gmock/gmock.h>

#include "gpu/tests/extractor_test.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/model/milestones.hpp"

namespace spex::gpu {
namespace {

using test::expect_close;
using test::ExtractorTest;

const std::vector<Milestone> gpu_rungs = milestones_of(Device::gpu);

// f before reconvolution, of patches and of the whole frame. The data determine every bin; a bin
// without pixels has f = 0.
TEST_F(ExtractorTest, FBeforeReconvolutionAgreesWithTheReference) {
  psf = spex::test::make_psf({.nfiber = 11, .nx = 90, .ny = 160, .x_first = 4, .y_middle = 80});
  for (int s = 6; s < 11; ++s) psf.xtrace.coeff[s * psf.xtrace.ncoeff] += 15;
  pixels = spex::test::make_pixels_of_noise(90, 160);
  for (int y = 0; y < 160; ++y)
    for (int x = 0; x < 8; ++x) pixels.weight.set(static_cast<std::size_t>(y * 90 + x), 0);
  options.write_f = true;
  options.method = Method::cholesky;
  for (const FluxSolver flux : {FluxSolver::patch, FluxSolver::frame}) {
    options.flux = flux;
    const std::vector<PatchResult> expected = on_cpu(patches());
    ASSERT_THAT(expected.front().f, testing::Contains(testing::Ne(0.0)));
    for (const Milestone rung : gpu_rungs) {
      if (flux == FluxSolver::frame && !traits(rung).solves_frame) continue;
      SCOPED_TRACE(to_string(rung));
      const std::vector<PatchResult> results = on_gpu(patches(), rung);
      expect_close(results, expected);
      // The same in the forms of a whole frame.
      for (const SpectraOf wanted : {SpectraOf::frame, SpectraOf::packed_frame}) {
        Extractor extractor({.device = 0, .poison = true});
        StageTimes times;
        ExtractInputs whole = inputs();
        whole.wanted = wanted;
        Extracted extracted = extractor.extract_patches(whole, patches(), times, [](long) {});
        ASSERT_TRUE(extracted.frame.has_value());
        EXPECT_EQ(extracted.frame->f, assemble_frame(inputs(), patches(), results).f);
      }
    }
  }
  options.write_f = false;
  options.flux = FluxSolver::patch;
  EXPECT_TRUE(on_gpu(patches(), Milestone::direct).front().f.empty());
}

// Fewer diagonals than rows of a spot, more, as many as the fibers' engine stores, and more.
TEST_F(ExtractorTest, DiagonalsOfRAgreeWithTheReference) {
  options.wavepad_frac = 0;
  // Padding bins beyond the CCD cost eigendecompositions digits.
  grid = make_wave_grid({992, 1006, 0.8});
  for (const int ndiag : {1, 5, 12, 13}) {
    SCOPED_TRACE(ndiag);
    options.ndiag = ndiag;
    options.wavepad = std::max(ndiag, 5);
    const std::vector<PatchResult> expected = precisely(patches());
    ASSERT_EQ(expected.front().ndiagonals, 2 * ndiag + 1);
    for (const Milestone rung : gpu_rungs) {
      SCOPED_TRACE(to_string(rung));
      expect_close(on_gpu(patches(), rung), expected);
    }
  }
}

// Tails within the box of a spot, whose light reaches fibers two or more away.
TEST_F(ExtractorTest, TailsAgreeWithTheReference) {
  psf = spex::test::make_psf({.nfiber = 11, .nx = 70, .ny = 60, .hsizex = 6, .x_first = 2});
  const std::vector<PatchResult> without = on_cpu(patches());
  spex::test::add_tails(psf, 3);
  psf.kind = PsfKind::gauss_hermite_tails;
  const std::vector<PatchResult> expected = on_cpu(patches());
  EXPECT_NE(expected.front().flux, without.front().flux);
  for (const Milestone rung : gpu_rungs) {
    SCOPED_TRACE(to_string(rung));
    expect_close(on_gpu(patches(), rung), expected);
  }
}

}  // namespace
}  // namespace spex::gpu
