// Reads a run's frames from a list file, and checks lists of frames.
#pragma once

#include <string>
#include <vector>

#include "reference/frame/frame_job.hpp"

namespace spex::mpi {

/// One frame per line: `CAMERA IMAGE PSF OUTPUT`, separated by blanks, in order of work; # starts a
/// comment, and empty lines are skipped. Throws Error(usage) `FILE:LINE: ...` for a malformed line
/// or an empty list; Error(data) if the file cannot be read.
[[nodiscard]] std::vector<FrameFiles> frames_of_list(const std::string& path);

/// Additional files of a run; names may be empty.
struct RunFiles {
  std::string list = {};  ///< list file
  std::string log = {};   ///< run log to write
};

/// Throws Error(usage) if two frames have the same output, or if an output or the run log is also a
/// frame's input, the list, or each other. Throws Error(data) if the folder of an output does not
/// exist.
void check_outputs(const std::vector<FrameFiles>& frames, const RunFiles& run = {});

}  // namespace spex::mpi
