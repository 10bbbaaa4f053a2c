// Checks which options of an extraction may be combined.
#pragma once

#include "mpi/programs/exposure_cli.hpp"

namespace spex {

/// The first given option that requires the schedule pipeline; null if there is none.
[[nodiscard]] const char* pipeline_option(const ExposureArguments& many);

/// The first given option that requires many frames; null if there is none.
[[nodiscard]] const char* option_of_many(const ExposureArguments& many);

/// Throws Error(usage) if options exclude each other, a file name is missing, or a log has the name
/// of an input or output. `one` holds the files of one frame; it is empty for many frames.
void check_exposure_options(const FrameFiles& one, const ExposureArguments& many);

}  // namespace spex
