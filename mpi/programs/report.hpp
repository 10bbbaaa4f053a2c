// What the extracting programs do with a job before it runs and say about it afterwards.
#pragma once

#include <string>

#include "mpi/programs/extract_cli.hpp"
#include "mpi/run/exposure.hpp"
#include "mpi/run/extract_frame.hpp"

namespace spex {

/// make_job, with the log level set and the program named. Throws Error(usage).
[[nodiscard]] FrameJob prepare_job(const ExtractArguments& arguments, const std::string& program);

/// Logs the stage profile, what fell back or failed, and the file written.
void report(const mpi::FrameSummary& summary, const FrameJob& job);
/// The same of many frames.
void report(const mpi::ExposureSummary& summary, const mpi::ExposureJob& job);

}  // namespace spex
