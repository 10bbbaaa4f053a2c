#include "reference/io/copy_fibermap.hpp"

#include "reference/fits/read/fits_file.hpp"

namespace spex {

void copy_fibermap(FitsMemory& out, const Fibermap& fibermap) {
  FitsReader table(fibermap.fits, "FIBERMAP", {.checksums = false});
  table.move_to_hdu("FIBERMAP");
  int status = 0;
  // The copy includes the header and, for columns of variable length, the heap.
  fits_copy_hdu(table.get(), out.get(), 0, &status);
  fits_check(status, out.name(), "cannot copy FIBERMAP");
  out.write_checksums();
}

}  // namespace spex
