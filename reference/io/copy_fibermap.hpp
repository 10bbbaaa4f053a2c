// Selects the fibermap rows of the extracted fibers.
#pragma once

#include <string>
#include <vector>

#include "reference/fits/write/fits_memory.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

/// Row numbers, from 1, of fibers specmin ... specmin + nspec - 1. Fiber s is the row of rank s
/// when rows are sorted by FIBER. Throws Error(data) `file: ...` if there are too few rows or a
/// fiber has two rows.
[[nodiscard]] std::vector<long long> fibermap_rows(const Fibermap& fibermap, int specmin, int nspec,
                                                   const std::string& file);

/// Appends the table FIBERMAP with only the rows of fibers specmin ... specmin + nspec - 1. Throws
/// Error(data) as fibermap_rows does.
void copy_fibermap(FitsMemory& out, const Fibermap& fibermap, int specmin, int nspec);

}  // namespace spex
