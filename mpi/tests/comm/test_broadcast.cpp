// Broadcasts: every field of every struct arrives, for any root.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/comm/broadcast.hpp"
#include "reference/frame/frame_files.hpp"
#include "reference/tests/support/fields.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex::mpi {
namespace {

class Broadcast : public testing::Test {
 protected:
  bool is(int root) const { return world.rank() == root; }
  int last() const { return world.size() - 1; }

  const Communicator world = Communicator::world();
};

TEST_F(Broadcast, PlainValue) {
  for (const int root : {0, last()}) {
    double value = is(root) ? 2.5 : -1;
    broadcast(world, value, root);
    EXPECT_EQ(value, 2.5);
  }
}

TEST_F(Broadcast, VectorTakesTheSizeOfTheRoot) {
  const std::vector<std::int64_t> sent{1, -2, std::int64_t{1} << 60};
  std::vector<std::int64_t> values = is(0) ? sent : std::vector<std::int64_t>(10, 9);
  broadcast(world, values);
  EXPECT_EQ(values, sent);
}

TEST_F(Broadcast, EmptyVectorAndString) {
  std::vector<double> values(is(0) ? 0 : 3, 1.0);
  broadcast(world, values);
  EXPECT_TRUE(values.empty());
  std::string text = is(last()) ? "" : "left over";
  broadcast(world, text, last());
  EXPECT_EQ(text, "");
}

TEST_F(Broadcast, String) {
  std::string text = is(0) ? "psf-r0-00051060.fits" : "";
  broadcast(world, text);
  EXPECT_EQ(text, "psf-r0-00051060.fits");
}

TEST_F(Broadcast, WaveGrid) {
  WaveGrid grid = is(0) ? WaveGrid{5760, 0.8, 2326} : WaveGrid{};
  broadcast(world, grid);
  EXPECT_EQ(grid.wmin, 5760);
  EXPECT_EQ(grid.dw, 0.8);
  EXPECT_EQ(grid.nwave, 2326);
}

TEST_F(Broadcast, Psf) {
  // Every field differs from its default and from all fields of the same type.
  Psf sent = test::make_psf();
  sent.hsizex = 4, sent.hsizey = 5, sent.ghdegx = 6, sent.ghdegy = 7;
  sent.npix_x = 81, sent.npix_y = 82, sent.fibermin = 500;
  sent.psferr = 0.04, sent.wavemin = 901, sent.wavemax = 1101;
  sent.in_psf = "origin.fits", sent.camera = "r1";
  sent.fit = {.failed = {1}, .unfitted = {2, 3}, .tails = {4, 5, 6}};
  sent.xtrace.wavemin = 902, sent.xtrace.wavemax = 1102;
  sent.ytrace.wavemin = 903, sent.ytrace.wavemax = 1103;
  for (const int root : {0, last()}) {
    Psf psf = is(root) ? sent : Psf{};
    broadcast(world, psf, root);
    test::expect_equal(psf, sent);
  }
}

TEST_F(Broadcast, Pixels) {
  const Pixels sent = test::make_pixels_of_noise(7, 5);
  Pixels pixels = is(0) ? sent : Pixels{};
  broadcast(world, pixels);
  test::expect_equal(pixels, sent);
}

TEST_F(Broadcast, SinglesStaySingles) {
  const Reals sent(std::vector<float>{1.5F, -2});
  Reals reals = is(last()) ? sent : Reals(std::vector<double>{7});
  broadcast(world, reals, last());
  EXPECT_TRUE(reals == sent);
}

TEST_F(Broadcast, FilesOfFrames) {
  const std::vector<FrameFiles> sent{{"b0", "image", "psf", "frame", {}, "table"},
                                     {"r1", "", "p", "o", "model", {}}};
  std::vector<FrameFiles> files = is(0) ? sent : std::vector<FrameFiles>(5);
  if (!is(0)) files[0].model = "left over";
  broadcast(world, files);
  ASSERT_EQ(files.size(), sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) test::expect_equal(files[i], sent[i]);
}

// Everything except pixel values.
TEST_F(Broadcast, DescriptionOfInputs) {
  FrameInputs sent;
  sent.psf = test::make_psf();
  sent.pixels = test::make_pixels_of_noise(7, 5);
  sent.grid = {5760, 0.8, 2326};
  sent.preproc.camera = "r0";
  sent.preproc.cards = {"NIGHT", "", "EXPID"};
  sent.preproc.fibermap = {{'a', 'b'}, {500, 501}};
  FrameInputs inputs = is(last()) ? sent : FrameInputs{};
  broadcast_description(world, inputs, last());
  if (is(last())) return;
  test::expect_equal(inputs.psf, sent.psf);
  test::expect_equal(inputs.preproc, sent.preproc);
  test::expect_equal(inputs.grid, sent.grid);
  EXPECT_EQ(inputs.pixels.nx, 7);
  EXPECT_EQ(inputs.pixels.ny, 5);
  EXPECT_EQ(inputs.pixels.value.size(), 0U);
}

}  // namespace
}  // namespace spex::mpi
