// What goes together of the options of an extraction.
#pragma once

#include "mpi/programs/exposure_cli.hpp"

namespace spex {

/// The name of an option that was given and only the schedule pipeline has; null where there is
/// none.
[[nodiscard]] const char* pipeline_option(const ExposureArguments& many);

/// The name of an option that was given and only many frames have; null where there is none.
[[nodiscard]] const char* option_of_many(const ExposureArguments& many);

/// Throws Error(usage) where options do not go together, a file is needed that has no name, or a
/// log has the name of another file. `one` are the files of one frame, empty where many are asked
/// for.
void check_exposure_options(const FrameFiles& one, const ExposureArguments& many);

}  // namespace spex
