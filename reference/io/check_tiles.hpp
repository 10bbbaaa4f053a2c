// The gzip streams inside a tile-compressed HDU, checked before CFITSIO inflates them.
#pragma once

#include <string>

#include <fitsio.h>

namespace spex {

/// Inflates every gzip tile of the current HDU of `file`, image or table, and throws Error(data)
/// where one is cut short or damaged; does nothing for other HDUs.
///
/// CFITSIO 4.2 takes a stream that ends early for one that needs more room, and allocates until
/// there is no memory left (uncompress2mem_from_mem).
void check_tiles(fitsfile* file, const std::string& path);

}  // namespace spex
