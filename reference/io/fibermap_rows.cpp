#include "reference/io/fibermap_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/write/fits_memory.hpp"
#include "reference/model/camera.hpp"

namespace spex {
namespace {

// The table with only `rows`. CFITSIO keeps arrays of variable length in order.
std::vector<char> table_of_rows(const Fibermap& fibermap, const std::vector<long long>& rows,
                                const std::string& file) {
  FitsReader all(fibermap.fits, file, {.checksums = false});
  all.move_to_hdu("FIBERMAP");
  FitsMemory kept(file + " FIBERMAP", fibermap.fits.size());
  int status = 0;
  fits_create_img(kept.get(), BYTE_IMG, 0, nullptr, &status);
  // The copy includes the header and, for columns of variable length, the heap.
  fits_copy_hdu(all.get(), kept.get(), 0, &status);
  LONGLONG width = 0;
  fits_read_key(all.get(), TLONGLONG, "NAXIS1", &width, nullptr, &status);
  fits_check(status, file, "cannot copy FIBERMAP");
  std::vector<unsigned char> row(static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fits_read_tblbytes(all.get(), rows[i], 1, width, row.data(), &status);
    fits_write_tblbytes(kept.get(), static_cast<LONGLONG>(i) + 1, 1, width, row.data(), &status);
  }
  const auto count = static_cast<LONGLONG>(rows.size());
  const auto surplus = static_cast<LONGLONG>(fibermap.fiber.size()) - count;
  if (surplus > 0) fits_delete_rows(kept.get(), count + 1, surplus, &status);
  fits_check(status, file, "cannot copy FIBERMAP");
  kept.write_checksums();
  return kept.take();
}

}  // namespace

long long first_fiber(const std::string& camera, int psf_fibermin) {
  const std::optional<Camera> of_desi = parse_camera(camera);
  return of_desi ? of_desi->fibermin() : psf_fibermin;
}

std::vector<long long> rows_of_fibers(const Fibermap& fibermap, long long first, int count,
                                      const std::string& file) {
  const std::string expected =
      fmt::format("one row for each of fibers {} to {}, in any order; or --fibermap-by-row", first,
                  first + count - 1);
  std::vector<long long> rows(static_cast<std::size_t>(count), 0);
  for (std::size_t i = 0; i < fibermap.fiber.size(); ++i) {
    const std::int64_t fiber = fibermap.fiber[i];
    if (fiber < first || fiber >= first + count) continue;
    long long& row = rows[static_cast<std::size_t>(fiber - first)];
    if (row != 0)
      throw data_error(file, fmt::format("FIBERMAP has fiber {} twice", fiber), expected);
    row = static_cast<long long>(i) + 1;
  }
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] == 0)
      throw data_error(
          file, fmt::format("FIBERMAP has no row of fiber {}", first + static_cast<long long>(k)),
          expected);
  return rows;
}

std::vector<long long> rows_of_places(const Fibermap& fibermap, int specmin, int nspec,
                                      const std::string& file) {
  const auto last = static_cast<std::size_t>(specmin + nspec);
  if (fibermap.fiber.size() < last)
    throw data_error(file, fmt::format("FIBERMAP has {} rows", fibermap.fiber.size()),
                     fmt::format("at least {}", last));
  std::vector<long long> rows(static_cast<std::size_t>(nspec));
  std::iota(rows.begin(), rows.end(), specmin + 1LL);
  return rows;
}

Fibermap take_rows(Fibermap fibermap, const std::vector<long long>& rows, const std::string& file) {
  std::vector<long long> all(fibermap.fiber.size());
  std::iota(all.begin(), all.end(), 1LL);
  if (rows == all) return fibermap;
  Fibermap taken;
  taken.fits = table_of_rows(fibermap, rows, file);
  for (const long long row : rows)
    taken.fiber.push_back(fibermap.fiber[static_cast<std::size_t>(row) - 1]);
  return taken;
}

}  // namespace spex
