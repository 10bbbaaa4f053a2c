// The frames of a run by a list file, and what must hold for any list of frames.
#pragma once

#include <string>
#include <vector>

#include "reference/frame/frame_job.hpp"

namespace spex::mpi {

/// `CAMERA IMAGE PSF OUTPUT` a line, separated by blanks, in this order of work; # starts a comment
/// and empty lines are skipped. Throws Error(usage) `FILE:LINE: ...` where a line is anything else,
/// or where there is none; Error(data) where the file cannot be read.
[[nodiscard]] std::vector<FrameFiles> frames_of_list(const std::string& path);

/// Files of a run beside its frames'; empty names are of none.
struct RunFiles {
  std::string list = {};  ///< that the frames are of
  std::string log = {};   ///< run log to write
};

/// Throws Error(usage) where two frames have the same output, or an output or the run log is some
/// frame's input, the list, or each other; Error(data) where an output's folder does not exist.
void check_outputs(const std::vector<FrameFiles>& frames, const RunFiles& run = {});

}  // namespace spex::mpi
