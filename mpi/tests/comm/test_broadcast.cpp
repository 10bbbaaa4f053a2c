// Broadcasts: every field of every struct arrives, whatever the root.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/comm/broadcast.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex::mpi {
namespace {

class Broadcast : public testing::Test {
 protected:
  bool is(int root) const { return world.rank() == root; }
  int last() const { return world.size() - 1; }

  const Communicator world = Communicator::world();
};

void expect_equal(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.wavemin, b.wavemin);
  EXPECT_EQ(a.wavemax, b.wavemax);
  EXPECT_EQ(a.ncoeff, b.ncoeff);
  EXPECT_EQ(a.coeff, b.coeff);
}

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
  // Every field differs from its default and, of one type, from every other.
  Psf sent = test::make_psf();
  sent.hsizex = 4, sent.hsizey = 5, sent.ghdegx = 6, sent.ghdegy = 7;
  sent.npix_x = 81, sent.npix_y = 82, sent.fibermin = 500;
  sent.psferr = 0.04, sent.wavemin = 901, sent.wavemax = 1101;
  sent.in_psf = "origin.fits";
  sent.xtrace.wavemin = 902, sent.xtrace.wavemax = 1102;
  sent.ytrace.wavemin = 903, sent.ytrace.wavemax = 1103;
  for (const int root : {0, last()}) {
    Psf psf = is(root) ? sent : Psf{};
    broadcast(world, psf, root);
    EXPECT_EQ(psf.nfiber, sent.nfiber);
    EXPECT_EQ(psf.hsizex, sent.hsizex);
    EXPECT_EQ(psf.hsizey, sent.hsizey);
    EXPECT_EQ(psf.ghdegx, sent.ghdegx);
    EXPECT_EQ(psf.ghdegy, sent.ghdegy);
    EXPECT_EQ(psf.npix_x, sent.npix_x);
    EXPECT_EQ(psf.npix_y, sent.npix_y);
    EXPECT_EQ(psf.fibermin, sent.fibermin);
    EXPECT_EQ(psf.psferr, sent.psferr);
    EXPECT_EQ(psf.in_psf, sent.in_psf);
    expect_equal(psf.xtrace, sent.xtrace);
    expect_equal(psf.ytrace, sent.ytrace);
    EXPECT_EQ(psf.wavemin, sent.wavemin);
    EXPECT_EQ(psf.wavemax, sent.wavemax);
    EXPECT_EQ(psf.ncoeff, sent.ncoeff);
    EXPECT_EQ(psf.param, sent.param);
  }
}

TEST_F(Broadcast, Pixels) {
  const Pixels sent = test::make_pixels_of_noise(7, 5);
  Pixels pixels = is(0) ? sent : Pixels{};
  broadcast(world, pixels);
  EXPECT_EQ(pixels.nx, 7);
  EXPECT_EQ(pixels.ny, 5);
  EXPECT_EQ(pixels.value, sent.value);
  EXPECT_EQ(pixels.weight, sent.weight);
}

}  // namespace
}  // namespace spex::mpi
