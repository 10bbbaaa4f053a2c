// Finds frames of the same camera and exposure in folders of DESI's layout.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// The files of one camera and exposure; a path is empty if there is no such frame.
struct ProductionPair {
  std::string camera;      ///< "r0"
  std::string expid;       ///< "00051060"
  std::string ours;        ///< frame of spex-cpu or spex-gpu
  std::string production;  ///< frame of DESI's pipeline

  /// "r0-00051060".
  [[nodiscard]] std::string name() const { return camera + "-" + expid; }
};

/// Pairs the frames in `production`, the folder of an exposure or of a night, with ours, which are
/// files and such folders. The folder of a night has folders EXPID. Frames have the names
/// frame-CAMERA-EXPID[-no-badcolumn-mask].fits[.gz]; a file given by name may have any name, and is
/// then identified by CAMERA and EXPID in its header. If a folder has both names, production's is
/// the masked frame, and ours the other. Sorted by EXPID and camera.
///
/// Throws Error(usage) if a folder has no frame, or two files are the same frame; Error(data) if a
/// folder or file cannot be read.
[[nodiscard]] std::vector<ProductionPair> pair_frames(const std::string& production,
                                                      const std::vector<std::string>& ours);

}  // namespace spex
