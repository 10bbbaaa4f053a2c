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

/// Sets the fault of each frame whose output is also another frame's, or a frame's input, or the
/// list; the other frames are not affected. Throws Error(usage) if the run log is one of these
/// files.
void note_clashes(std::vector<FrameFiles>& frames, const RunFiles& run = {});

}  // namespace spex::mpi
