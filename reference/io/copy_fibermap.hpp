// The rows of a fibermap that belong to the extracted fibers.
#pragma once

#include "reference/io/fits_memory.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

/// Appends the table FIBERMAP with the rows of fibers specmin ... specmin + nspec - 1 alone, which
/// are counted in the order of FIBER. Throws Error(data) where it has fewer, or one twice.
void copy_fibermap(FitsMemory& out, const Fibermap& fibermap, int specmin, int nspec);

}  // namespace spex
