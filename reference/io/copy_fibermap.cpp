#include "reference/io/copy_fibermap.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"

namespace spex {
std::vector<long long> fibermap_rows(const Fibermap& fibermap, int specmin, int nspec,
                                     const std::string& file) {
  const auto& fiber = fibermap.fiber;
  const std::size_t last = specmin + nspec;
  if (fiber.size() < last)
    throw data_error(file, fmt::format("FIBERMAP has {} rows", fiber.size()),
                     fmt::format("at least {}", last));
  std::vector<long long> rows(fiber.size());
  std::iota(rows.begin(), rows.end(), 1);
  const auto of = [&](long long row) { return fiber[static_cast<std::size_t>(row) - 1]; };
  std::ranges::stable_sort(rows, {}, of);
  const auto twice = std::ranges::adjacent_find(rows, {}, of);
  if (twice != rows.end())
    throw data_error(file, fmt::format("FIBERMAP has fiber {} twice", of(*twice)),
                     "one row per fiber");
  return {rows.begin() + specmin, rows.begin() + static_cast<std::ptrdiff_t>(last)};
}

void copy_fibermap(FitsMemory& out, const Fibermap& fibermap, int specmin, int nspec) {
  const std::vector<long long> rows = fibermap_rows(fibermap, specmin, nspec, out.name());
  FitsReader table(fibermap.fits, "FIBERMAP");
  table.move_to_hdu("FIBERMAP");
  int status = 0;
  // The copy includes the header and, for columns of variable length, the heap.
  fits_copy_hdu(table.get(), out.get(), 0, &status);
  LONGLONG width = 0;
  fits_read_key(table.get(), TLONGLONG, "NAXIS1", &width, nullptr, &status);
  std::vector<unsigned char> row(width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fits_read_tblbytes(table.get(), rows[i], 1, width, row.data(), &status);
    fits_write_tblbytes(out.get(), static_cast<LONGLONG>(i) + 1, 1, width, row.data(), &status);
  }
  const auto kept = static_cast<LONGLONG>(rows.size());
  const auto all = static_cast<LONGLONG>(fibermap.fiber.size());
  if (all > kept) fits_delete_rows(out.get(), kept + 1, all - kept, &status);
  fits_check(status, out.name(), "cannot copy FIBERMAP");
  out.write_checksums();
}

}  // namespace spex
