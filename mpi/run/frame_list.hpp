// The frames of a run by a list file, and what must hold for any list of frames.
#pragma once

#include <string>
#include <vector>

#include "reference/frame/frame_job.hpp"

namespace spex::mpi {

/// `CAMERA IMAGE PSF OUTPUT` a line, separated by blanks, in this order of work; # starts a comment
/// and empty lines are skipped. Throws Error(usage) `FILE:LINE: ...` where a line is anything else,
/// or where there is none.
[[nodiscard]] std::vector<FrameFiles> frames_of_list(const std::string& path);

/// Throws Error(usage) where two frames have the same output, an output is some frame's input, or
/// its folder does not exist.
void check_outputs(const std::vector<FrameFiles>& frames);

}  // namespace spex::mpi
