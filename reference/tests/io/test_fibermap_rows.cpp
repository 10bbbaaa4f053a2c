// Which rows of a fibermap belong to the spectra.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <fitsio.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/io/fibermap_rows.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/tests/fits/scratch.hpp"

namespace spex {
namespace {

using test::expect_data_error;
using Rows = std::vector<long long>;

Fibermap of(std::vector<std::int64_t> fiber) {
  return {{}, std::move(fiber)};
}

TEST(FirstFiber, OfTheSpectrographOrThePsf) {
  EXPECT_EQ(first_fiber("r5", 7), 2500);
  EXPECT_EQ(first_fiber("b0", 7), 0);
  EXPECT_EQ(first_fiber("x5", 7), 7);
  EXPECT_EQ(first_fiber("", 7), 7);
}

TEST(FibermapRows, OfFibersInAnyOrder) {
  const Fibermap map = of({503, 501, 502, 500});
  EXPECT_EQ(rows_of_fibers(map, 500, 4, "in.fits"), (Rows{4, 2, 3, 1}));
  EXPECT_EQ(rows_of_fibers(map, 501, 2, "in.fits"), (Rows{2, 3}));
}

// A fibermap of all petals; fibers that are not extracted may occur twice.
TEST(FibermapRows, OfFibersAmongOthers) {
  Fibermap map;
  map.fiber.resize(5000);
  std::iota(map.fiber.begin(), map.fiber.end(), 0);
  map.fiber.insert(map.fiber.begin(), {-1, -1, 4999});
  EXPECT_EQ(rows_of_fibers(map, 2500, 3, "in.fits"), (Rows{2504, 2505, 2506}));
}

TEST(FibermapRows, MissingAndRepeatedFibersAreNamed) {
  const Fibermap map = of({1551, 1555, 1559, 1555});
  const std::string expected = "one row for each of fibers 1551 to 1553, in any order";
  expect_data_error([&] { static_cast<void>(rows_of_fibers(map, 1551, 3, "in.fits")); }, "in.fits",
                    "FIBERMAP has no row of fiber 1552", expected);
  expect_data_error([&] { static_cast<void>(rows_of_fibers(map, 1554, 2, "in.fits")); }, "in.fits",
                    "FIBERMAP has fiber 1555 twice", "fibers 1554 to 1555");
  expect_data_error([&] { static_cast<void>(rows_of_fibers({}, 0, 1, "in.fits")); }, "in.fits",
                    "FIBERMAP has no row of fiber 0", "fibers 0 to 0");
}

TEST(FibermapRows, OfPlaces) {
  const Fibermap map = of({9, 7, 7, 8});
  EXPECT_EQ(rows_of_places(map, 1, 2, "in.fits"), (Rows{2, 3}));
  expect_data_error([&] { static_cast<void>(rows_of_places(map, 3, 2, "in.fits")); }, "in.fits",
                    "FIBERMAP has 4 rows", "at least 5");
}

using TakeRows = test::Scratch;

// In the order asked for, byte for byte; the table has valid checksums.
TEST_F(TakeRows, KeepsTheirBytes) {
  const std::string golden = test::golden("tiny-b/preproc.fits");
  const Fibermap all = read_fibermap(golden);
  const Fibermap taken = take_rows(all, {9, 2, 5}, golden);
  EXPECT_EQ(taken.fiber, (std::vector<std::int64_t>{8, 1, 4}));
  FitsReader from(all.fits, "all");
  FitsReader to(taken.fits, "taken");
  from.move_to_hdu("FIBERMAP");
  to.move_to_hdu("FIBERMAP");
  EXPECT_EQ(read_integer_column(to, "FIBER"), taken.fiber);
  const long long width = from.get_integer("NAXIS1");
  int status = 0;
  for (const auto& [row, source] : {std::pair{1, 9}, {2, 2}, {3, 5}}) {
    std::vector<unsigned char> a(static_cast<std::size_t>(width)), b = a;
    fits_read_tblbytes(from.get(), source, 1, width, a.data(), &status);
    fits_read_tblbytes(to.get(), row, 1, width, b.data(), &status);
    EXPECT_EQ(a, b) << row;
  }
  int data_ok = 0, hdu_ok = 0;
  fits_verify_chksum(to.get(), &data_ok, &hdu_ok, &status);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(data_ok, 1);
  EXPECT_EQ(hdu_ok, 1);
  EXPECT_EQ(take_rows(all, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, golden).fits, all.fits);
}

}  // namespace
}  // namespace spex
