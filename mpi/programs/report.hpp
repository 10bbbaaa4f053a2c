// Job preparation and final report of the extracting programs.
#pragma once

#include <string>

#include "mpi/programs/extract_cli.hpp"
#include "mpi/run/exposure.hpp"

namespace spex {

/// make_job, also sets the log level and the program's name. Throws Error(usage).
[[nodiscard]] FrameJob prepare_job(const ExtractArguments& arguments, const std::string& program);

/// Logs the stage profile, patches that fell back or failed, and the written file.
void report(const mpi::ExposureSummary& summary, const FrameJob& job);
/// The same for many frames, some of which may have failed.
void report(const mpi::ExposureSummary& summary, const mpi::ExposureJob& job);

}  // namespace spex
