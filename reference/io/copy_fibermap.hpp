// Copies a fibermap into a frame's file.
#pragma once

#include "reference/fits/write/fits_memory.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

/// Appends the table FIBERMAP, all rows. Throws Error(data).
void copy_fibermap(FitsMemory& out, const Fibermap& fibermap);

}  // namespace spex
