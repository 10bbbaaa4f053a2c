// What the extracting programs do with a job before it runs and say about it afterwards.
#pragma once

#include <string>

#include "mpi/programs/extract_cli.hpp"
#include "mpi/run/exposure.hpp"

namespace spex {

/// make_job, with the log level set and the program named. Throws Error(usage).
[[nodiscard]] FrameJob prepare_job(const ExtractArguments& arguments, const std::string& program);

/// Logs the stage profile, what fell back or failed, and the file written. The frame is there.
void report(const mpi::ExposureSummary& summary, const FrameJob& job);
/// The same of many frames, of which some may have failed.
void report(const mpi::ExposureSummary& summary, const mpi::ExposureJob& job);

}  // namespace spex
