// The frames of a run, by a folder or by a list file.
#pragma once

#include <string>
#include <vector>

#include "reference/frame/frame_job.hpp"

namespace spex::mpi {

/// Every preproc-CAMERA-EXPID.fits[.gz|.fz] of `folder`, sorted by camera and EXPID, with
/// psf-CAMERA-EXPID.fits beside it and frame-CAMERA-EXPID.fits in `output_folder`. A missing PSF is
/// found when its frame is read. Throws Error(usage) where the folder cannot be listed or has no
/// such file.
[[nodiscard]] std::vector<FrameFiles> frames_of_folder(const std::string& folder,
                                                       const std::string& output_folder);

/// `CAMERA IMAGE PSF OUTPUT` a line, separated by blanks, in this order of work; # starts a comment
/// and empty lines are skipped. Throws Error(usage) `FILE:LINE: ...` where a line is anything else,
/// or where there is none.
[[nodiscard]] std::vector<FrameFiles> frames_of_list(const std::string& path);

/// Throws Error(usage) where two frames have the same output, an output is some frame's input, or
/// its folder does not exist.
void check_outputs(const std::vector<FrameFiles>& frames);

}  // namespace spex::mpi
