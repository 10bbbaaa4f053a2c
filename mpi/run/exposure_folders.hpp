// Finds the frames of an exposure in folders with DESI's layout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/frame/frame_files.hpp"

namespace spex::mpi {

/// Naming of frames: `frame-CAMERA-EXPID.fits`, or the name of desi_proc's extraction,
/// `frame-CAMERA-EXPID-no-badcolumn-mask.fits.gz` (.fits if $DESI_COMPRESSION is NONE).
enum class FrameNames { plain, desi_proc };

/// The name on the command line.
[[nodiscard]] std::string to_string(FrameNames names);

/// Folders of an exposure's files.
struct ExposureFolders {
  std::string preproc = {};              ///< folder of preproc-CAMERA-EXPID.fits[.gz|.fz]
  std::string psf = {};                  ///< folder of psf-CAMERA-EXPID.fits
  std::string output = {};               ///< folder of the frames
  FrameNames names = FrameNames::plain;  ///< naming of the frames
  std::vector<std::string> cameras =
      {};                         ///< requested cameras; empty: all that have a preproc file
  std::optional<int> expid = {};  ///< requested exposure; absent: all
};

/// The folders of a production's tree under `root`: preproc/NIGHT/EXPID for images, and
/// exposures/NIGHT/EXPID for PSFs and frames, which have desi_proc's names.
[[nodiscard]] ExposureFolders production_folders(const std::string& root, int night, int expid);

/// The exposure numbers of a night in the tree that have a preproc file, or whose folder cannot be
/// listed, ascending. Throws Error(usage) if there are none.
[[nodiscard]] std::vector<int> exposures_of_night(const std::string& root, int night);

/// All requested preproc files with their PSFs and frames, sorted by camera and EXPID. A missing
/// PSF is reported when its frame is read. A frame whose image or PSF exists in two forms
/// (fits/file_forms.hpp) has a fault. If the EXPID is known, a requested camera without a
/// preproc file becomes a frame with a missing input. Throws Error(usage) if the folder cannot be
/// listed, has no preproc file, or lacks a requested camera while the EXPID is unknown.
[[nodiscard]] std::vector<FrameFiles> frames_of_folders(const ExposureFolders& folders);

/// The same for several exposures. An exposure whose frames cannot be found becomes a frame without
/// a camera, whose fault says why. Throws the first such error if no exposure has frames.
[[nodiscard]] std::vector<FrameFiles> frames_of_exposures(
    const std::vector<ExposureFolders>& exposures);

/// Replaces each image and PSF that exists only in another form by that form. A frame for which two
/// other forms exist gets a fault.
void find_inputs(std::vector<FrameFiles>& frames);

/// A frame that a run skips.
struct SkippedFrame {
  FrameFiles files;      ///< files of the frame
  bool missing = false;  ///< an input is missing; else the output exists
  std::string path;      ///< the missing input or existing output

  SPEX_MEMBERS(files, missing, path)
};

/// Rules for skipping frames.
struct SkipRules {
  /// Skip if the output, or desi_proc's file derived from it, exists in any form.
  bool existing = false;
  bool missing = false;  ///< skip if the image or the PSF is missing
};

/// Removes the frames to skip from `frames` and returns them.
[[nodiscard]] std::vector<SkippedFrame> skip_frames(std::vector<FrameFiles>& frames,
                                                    const SkipRules& rules);

}  // namespace spex::mpi
