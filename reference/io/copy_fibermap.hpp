// The rows of a fibermap that belong to the extracted fibers.
#pragma once

#include <string>
#include <vector>

#include "reference/fits/fits_memory.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

/// Row numbers, from 1, of the table for fibers specmin ... specmin + nspec - 1: fiber s is the row
/// of rank s by FIBER. Throws Error(data) `file: ...` where there are too few rows, or two of a
/// fiber.
[[nodiscard]] std::vector<long long> fibermap_rows(const Fibermap& fibermap, int specmin, int nspec,
                                                   const std::string& file);

/// Appends the table FIBERMAP with the rows of fibers specmin ... specmin + nspec - 1 alone, which
/// are counted in the order of FIBER. Throws Error(data) where it has fewer, or one twice.
void copy_fibermap(FitsMemory& out, const Fibermap& fibermap, int specmin, int nspec);

}  // namespace spex
