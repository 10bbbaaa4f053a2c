// A small frame, and a fixture that writes it.
#pragma once

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/io/fibermap_rows.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/write_frame.hpp"
#include "reference/model/frame.hpp"
#include "reference/tests/fits/scratch.hpp"
#include "reference/tests/support/cfitsio_file.hpp"

namespace spex::test {

inline constexpr int nspec = 3;
inline constexpr int nwave = 7;

/// n numbers from `first` in steps of 1.
inline std::vector<double> counting(std::size_t n, double first) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// A frame of fibers 4 to 6; flux, ivar, chi2pix and resolution count up.
inline Frame make_frame() {
  Frame frame;
  frame.specmin = 4;
  frame.nspec = nspec;
  frame.nwave = nwave;
  frame.ndiag = 2;
  frame.dw = 0.5;
  frame.wave = counting(nwave, 4000);
  frame.flux = counting(nspec * nwave, 0.1);
  frame.ivar = counting(nspec * nwave, 1);
  frame.chi2pix = counting(nspec * nwave, 2);
  frame.pixmask_fraction = std::vector<double>(nspec * nwave, 0.25);
  frame.resolution = Reals(counting(nspec * 5 * nwave, 3));
  frame.mask.assign(nspec * nwave, 0);
  frame.mask[3] = 0x80000101U;
  return frame;
}

/// A frame to write, with its rows of tiny-b's fibermap.
class FrameWriter : public Scratch {
 protected:
  FrameWriter() {
    scores_ = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    content_.frame = &frame_;
    content_.camera = "r0";
    content_.scores = &scores_;
    content_.fibermap = &fibermap_;
  }
  // Names of the HDUs, after verifying CHECKSUM and DATASUM of each HDU.
  [[nodiscard]] static std::vector<std::string> checked_hdus(const std::string& file) {
    FitsReader reader(file);
    CfitsioFile checker(file);
    std::vector<std::string> names;
    for (int hdu = 1; hdu <= reader.hdus(); ++hdu) {
      reader.move_to_number(hdu);
      names.push_back(reader.get_string("EXTNAME"));
      EXPECT_TRUE(checker.move_to(names.back()).has_right_sums()) << names.back();
    }
    return names;
  }

  Frame frame_ = make_frame();
  Scores scores_;
  Fibermap fibermap_ = take_rows(read_fibermap(golden("tiny-b/preproc.fits")), {5, 6, 7}, "golden");
  FrameFileContent content_;
};

}  // namespace spex::test
