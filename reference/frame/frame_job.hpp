// The extraction job of one frame.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/frame/barycentric_correction.hpp"
#include "reference/frame/frame_files.hpp"
#include "reference/frame/production_paths.hpp"
#include "reference/model/options.hpp"

namespace spex {

class WholeInflater;

/// Settings of a run, equal for all frames, and for all ranks except `device`.
struct FrameSettings {
  std::string program;           ///< named in the output's header
  bool scores = true;            ///< write the HDU SCORES
  bool full_precision = false;   ///< write FLUX and others in float64
  bool fibermap_by_row = false;  ///< take fibermap rows by place, as production does, not by FIBER
  bool no_mask = false;          ///< accept an image without MASK: all its pixels are good
  FrameOptions options;          ///< settings of the extraction
  /// Use the psferr of the camera's arm (model/camera.hpp) instead of the PSF file's; psferr in
  /// `options` takes precedence.
  bool psferr_by_arm = false;
  BarycentricSettings barycentric;  ///< which frames are corrected, and how
  std::vector<PathRoot> roots;      ///< folders that IN_PSF and IN_IMG abbreviate
  /// Number of ranks that share a bundle by its subbundles; if absent, derived from the number of
  /// ranks.
  std::optional<int> ranks_per_bundle;
  /// Names this rank's device on its node: ranks with the same name share the device. Empty: the
  /// CPU.
  std::string device;
  bool show_progress = true;  ///< on rank 0
  int read_threads = 1;       ///< maximal number of threads that inflate an image
  /// Inflates .gz images; null: the reader's threads. Must outlive the run.
  WholeInflater* inflater = nullptr;
  int write_threads = 1;   ///< maximal number of threads that write a frame
  bool checksums = true;   ///< compare the inputs' checksums (FitsReadOptions)
  int compress_level = 1;  ///< compression level of written .gz files (io/gzip.hpp)
  /// Seconds without progress after which a run is aborted (mpi/run/watchdog.hpp); 0: never.
  double stall_limit = 0;
};

/// One frame's extraction.
struct FrameJob {
  FrameFiles files;        ///< files of the frame
  FrameSettings settings;  ///< settings of the run
};

}  // namespace spex
