#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <fitsio.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/io/copy_fibermap.hpp"
#include "reference/io/fibermap_rows.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/io/frame_writer.hpp"

namespace spex::test {
namespace {

using CopyFibermap = FrameWriter;

// The rows of fibers 4, 5 and 6, byte for byte.
TEST_F(CopyFibermap, FibermapRowsOfTheExtractedFibers) {
  write_frame(path("frame.fits"), content_);
  FitsEdit in(golden("tiny-b/preproc.fits"));
  FitsEdit out(path("frame.fits"));
  constexpr std::size_t width = 31;
  EXPECT_EQ(out.hdu("FIBERMAP").data.substr(0, nspec * width),
            in.hdu("FIBERMAP").data.substr(4 * width, nspec * width));
  FitsReader file(path("frame.fits"));
  file.move_to_hdu("FIBERMAP");
  EXPECT_EQ(row_count(file), nspec);
  EXPECT_EQ(read_integer_column(file, "FIBER"), (std::vector<std::int64_t>{4, 5, 6}));
}

TEST_F(CopyFibermap, FibermapOfAnotherNumberOfRowsLeavesNoFile) {
  fibermap_ = read_fibermap(golden("tiny-b/preproc.fits"));
  expect_data_error([&] { write_frame(path("frame.fits"), content_); }, path("frame.fits"),
                    "FIBERMAP has 10 rows", "3, one for each spectrum");
  EXPECT_EQ(files(), 0);
}

// Arrays of variable length are copied with their rows. Descriptors that point outside of the
// table, or claim more than its heap, are rejected before CFITSIO follows them.
TEST_F(CopyFibermap, FibermapWithArraysOfVariableLength) {
  const std::string plain = path("arrays.fits");
  {
    FitsMemory out("test");
    int status = 0;
    std::array<std::string, 2> names{"FIBER", "LIST"};
    std::array<std::string, 2> forms{"J", "1PI"};
    std::array<char*, 2> name_text{names[0].data(), names[1].data()};
    std::array<char*, 2> form_text{forms[0].data(), forms[1].data()};
    fits_create_img(out.get(), BYTE_IMG, 0, nullptr, &status);
    fits_create_tbl(out.get(), BINARY_TBL, 10, 2, name_text.data(), form_text.data(), nullptr,
                    "FIBERMAP", &status);
    for (int row = 1; row <= 10; ++row) {
      int fiber = row - 1;
      std::vector<short> list(row, static_cast<short>(row));
      fits_write_col(out.get(), TINT, 1, row, 1, 1, &fiber, &status);
      fits_write_col(out.get(), TSHORT, 2, row, 1, row, list.data(), &status);
    }
    fits_check(status, "test", "cannot be created");
    write_bytes(plain, out.take());
  }
  const Fibermap fibermap = take_rows(read_fibermap(plain), {5, 6, 7}, plain);
  content_.fibermap = &fibermap;
  write_frame(path("frame.fits"), content_);
  FitsReader file(path("frame.fits"));
  file.move_to_hdu("FIBERMAP");
  int status = 0;
  for (LONGLONG row = 1; row <= row_count(file); ++row) {
    const std::size_t length = frame_.specmin + row;
    std::vector<short> list(length);
    fits_read_col(file.get(), TSHORT, 2, row, 1, static_cast<LONGLONG>(length), nullptr,
                  list.data(), nullptr, &status);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(list, std::vector<short>(length, static_cast<short>(length)));
  }

  const auto damaged = [&](std::size_t at, const std::string& bytes, const std::string& wrong) {
    FitsEdit edit(plain);
    edit.hdu("FIBERMAP").data.replace(at, bytes.size(), bytes);
    const std::string bad = edit.save(path("bad.fits"));
    expect_data_error([&] { static_cast<void>(read_fibermap(bad)); }, bad, wrong, "bytes");
  };
  damaged(4, "\x7f\xff\xff\xff", "the array of row 1 lies outside its HDU");
  damaged(8, "\x7f\xff\xff\xff", "the array of row 1 lies outside its HDU");
  damaged(4, std::string("\0\0\0\x30", 4), "its arrays of variable length overlap");
}

}  // namespace
}  // namespace spex::test
