// The files that a simulation writes: their names, and what becomes of existing ones.
#pragma once

#include <string>

#include "reference/sim/sim_options.hpp"

namespace spex {

/// "FOLDER/KIND-CAMERA-EXPID.fits" with an eight-digit EXPID; preproc with the ending of its
/// compression.
[[nodiscard]] std::string output_name(const SimOptions& options, const std::string& kind,
                                      const Camera& camera);

/// Checks the files of the first exposure before any work. Throws Error if one cannot be created,
/// would replace the input --psf or --spectra, or exists, plain, .gz or .fz, without `overwrite`.
void check_outputs(const SimOptions& options);

/// Removes the file's other forms, which readers would take as well.
void remove_other_forms(const std::string& path);

}  // namespace spex
