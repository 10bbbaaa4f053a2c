// Synthetic frames, and functions to change them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "reference/compare/frame_file.hpp"
#include "reference/io/write_frame.hpp"
#include "reference/model/frame.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::test {

inline constexpr int nspec = 6;  // two bundles of three
inline constexpr int nwave = 40;
inline constexpr int ndiag = 2;
inline constexpr int specmin = 20;

/// Flux of about 1000 with a signal-to-noise ratio of about 30; every fiber and bin differs.
inline Frame make_frame() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  Frame frame;
  frame.specmin = specmin;
  frame.nspec = nspec;
  frame.nwave = nwave;
  frame.ndiag = ndiag;
  frame.dw = 0.8;
  for (int w = 0; w < nwave; ++w) frame.wave.push_back(6000 + 0.8 * w);
  for (std::size_t j = 0; j < frame.nbins(); ++j) {
    frame.flux.push_back(1000 + 500 * uniform(random));
    frame.ivar.push_back(1e-3 * (0.5 + uniform(random)));
    frame.mask.push_back(j % 17 == 0 ? 1U : 0U);
    frame.chi2pix.push_back(0.5 + uniform(random));
    frame.pixmask_fraction.push_back(0.3 * uniform(random));
  }
  std::vector<double> resolution;
  for (int s = 0; s < nspec; ++s)
    for (int d = 0; d < frame.ndiagonals(); ++d)
      for (int w = 0; w < nwave; ++w)
        resolution.push_back(0.6 * std::exp(-(d - ndiag) * (d - ndiag) / 1.5) +
                             0.02 * uniform(random));
  frame.resolution = Reals(std::move(resolution));
  return frame;
}

/// A FIBERMAP with a row for each spectrum.
inline Fibermap make_fibermap(const Frame& frame) {
  FitsMemory memory("FIBERMAP");
  Fibermap fibermap;
  std::vector<int> fiber;
  for (int s = frame.specmin; s < frame.specmin + frame.nspec; ++s) {
    fiber.push_back(s);
    fibermap.fiber.push_back(s);
  }
  std::string name = "FIBER";
  std::string form = "J";
  char* names[] = {name.data()};
  char* forms[] = {form.data()};
  int status = 0;
  const auto rows = static_cast<LONGLONG>(fiber.size());
  fits_create_img(memory.get(), BYTE_IMG, 0, nullptr, &status);
  fits_create_tbl(memory.get(), BINARY_TBL, rows, 1, names, forms, nullptr, "FIBERMAP", &status);
  fits_write_col(memory.get(), TINT, 1, 1, 1, rows, fiber.data(), &status);
  fits_check(status, "FIBERMAP", "cannot be created");
  fibermap.fits = memory.take();
  return fibermap;
}

/// Writes the frame like spex-cpu and reads it again.
inline FrameFile store(const Frame& frame, const std::string& path, bool full_precision) {
  FrameFileContent content;
  content.frame = &frame;
  const Fibermap fibermap = make_fibermap(frame);
  content.fibermap = &fibermap;
  content.camera = "r0";
  content.keywords = {{"SPECMIN", static_cast<long long>(frame.specmin), "first fiber"}};
  content.full_precision = full_precision;
  write_frame(path, content);
  return read_frame(path);
}

inline FrameFile store(const Frame& frame, bool full_precision = true) {
  const ScratchFolder scratch;
  return store(frame, scratch.file("frame.fits"), full_precision);
}

inline std::vector<double>& values(FrameFile& file, const std::string& hdu) {
  for (FrameImage& image : file.images)
    if (image.name == hdu) return image.value;
  throw std::out_of_range(hdu);
}

/// Index of bin (s, w) and of resolution element (s, d, w).
inline std::size_t at(int s, int w) {
  return static_cast<std::size_t>(s * nwave + w);
}
inline std::size_t at(int s, int d, int w) {
  return static_cast<std::size_t>((s * (2 * ndiag + 1) + d) * nwave + w);
}

}  // namespace spex::test
