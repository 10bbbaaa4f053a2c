// The frames of an exposure by the folders that its files lie in, as DESI's pipeline lays them out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/frame/frame_job.hpp"

namespace spex::mpi {

/// Names of frames: `frame-CAMERA-EXPID.fits`, or desi_proc's of what its extraction writes,
/// `frame-CAMERA-EXPID-no-badcolumn-mask.fits.gz` (.fits where $DESI_COMPRESSION is NONE).
enum class FrameNames { plain, desi_proc };

/// As on the command line.
[[nodiscard]] std::string to_string(FrameNames names);

/// Where the files of an exposure lie.
struct ExposureFolders {
  std::string preproc = {};              ///< of preproc-CAMERA-EXPID.fits[.gz|.fz]
  std::string psf = {};                  ///< of psf-CAMERA-EXPID.fits
  std::string output = {};               ///< of the frames
  FrameNames names = FrameNames::plain;  ///< of the frames
  std::vector<std::string> cameras =
      {};                         ///< those wanted; all that have a preproc file where empty
  std::optional<int> expid = {};  ///< the exposure wanted; all where absent
};

/// The folders of a production's tree below `root`: preproc/NIGHT/EXPID, and exposures/NIGHT/EXPID
/// for PSFs and frames, which have desi_proc's names.
[[nodiscard]] ExposureFolders production_folders(const std::string& root, int night, int expid);

/// The numbers of all exposures of a night in the same tree that have a preproc file, ascending.
/// Throws Error(usage) where there is none.
[[nodiscard]] std::vector<int> exposures_of_night(const std::string& root, int night);

/// Every preproc file wanted, sorted by camera and EXPID, with its PSF and its frame. A missing PSF
/// is found when its frame is read. A camera that is wanted and has no preproc file is a frame
/// whose input is missing, where the EXPID is known. Throws Error(usage) where the folder cannot be
/// listed, has no such file, or has none of a camera that is wanted and the EXPID is not known.
[[nodiscard]] std::vector<FrameFiles> frames_of_folders(const ExposureFolders& folders);

/// A frame that is left out of a run.
struct SkippedFrame {
  FrameFiles files;      ///< of the frame
  bool missing = false;  ///< an input is; else the output is there already
  std::string path;      ///< which of them
};

/// All fields of a SkippedFrame.
template <MaybeConst<SkippedFrame> T>
auto fields(T& skipped) {
  auto& [files, missing, path] = skipped;
  return std::tie(files, missing, path);
}

/// Which frames to leave out.
struct SkipRules {
  bool existing = false;  ///< whose output is there, or the frame that desi_proc makes of it
  bool missing = false;   ///< whose image or PSF is not there
};

/// Takes the frames that `rules` leave out off `frames`.
[[nodiscard]] std::vector<SkippedFrame> skip_frames(std::vector<FrameFiles>& frames,
                                                    const SkipRules& rules);

}  // namespace spex::mpi
