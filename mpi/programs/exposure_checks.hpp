// Checks which options of an extraction may be combined.
#pragma once

#include "mpi/programs/exposure_cli.hpp"

namespace spex {

/// The name of an option that was given and only the schedule pipeline has; null where there is
/// none.
[[nodiscard]] const char* pipeline_option(const ExposureArguments& many);

/// The name of an option that was given and only many frames have; null where there is none.
[[nodiscard]] const char* option_of_many(const ExposureArguments& many);

/// Throws Error(usage) if options exclude each other, a file name is missing, or a log has the name
/// of an input or output. `one` holds the files of one frame; it is empty for many frames.
void check_exposure_options(const FrameFiles& one, const ExposureArguments& many);

}  // namespace spex
