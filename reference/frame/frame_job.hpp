// What is asked for of one frame, and who does it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/core/stage_times.hpp"
#include "reference/extract/extract_patches.hpp"
#include "reference/frame/barycentric_correction.hpp"
#include "reference/frame/production_paths.hpp"
#include "reference/model/fields.hpp"
#include "reference/model/options.hpp"

namespace spex {

/// The files of one frame.
struct FrameFiles {
  std::string camera = {};                ///< "b0" ...: that the input must be of; any where empty
  std::string input = {};                 ///< preproc file
  std::string psf = {};                   ///< PSF file
  std::string output = {};                ///< frame to write
  std::optional<std::string> model = {};  ///< model image to write
  std::optional<std::string> fibermap = {};  ///< table that replaces the input's own
};

/// All fields of a FrameFiles.
template <MaybeConst<FrameFiles> T>
auto fields(T& files) {
  auto& [camera, input, psf, output, model, fibermap] = files;
  return std::tie(camera, input, psf, output, model, fibermap);
}

/// How frames are extracted; the same for all frames of a run, and on every rank.
struct FrameSettings {
  std::string program;          ///< named in the output's header
  bool scores = true;           ///< write the HDU SCORES
  bool full_precision = false;  ///< write FLUX and others in float64
  ExtractOptions options;       ///< settings of the extraction
  /// Take psferr of the camera's arm (model/camera.hpp) rather than the PSF file's; where `options`
  /// have one, that.
  bool psferr_by_arm = false;
  BarycentricSettings barycentric;  ///< which frames are corrected, and how
  std::vector<PathRoot> roots;      ///< folders that IN_PSF and IN_IMG name in short
  /// Ranks that share a bundle, by its subbundles; as the number of ranks asks for where absent.
  std::optional<int> ranks_per_bundle;
  bool show_progress = true;  ///< on rank 0
  int write_threads = 1;      ///< of a frame that is written, at most
  int compress_level = 1;     ///< of a .gz file that is written (io/gzip.hpp)
  /// s without any progress after which a run is ended (mpi/run/watchdog.hpp); 0: never.
  double stall_limit = 0;
};

/// One frame's extraction.
struct FrameJob {
  FrameFiles files;        ///< of the frame
  FrameSettings settings;  ///< of the run that it is a part of
};

/// Extracts patches of a frame in this process, CPU or GPU; as extract_patches.
using PatchExtractor =
    std::function<Extracted(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                            StageTimes& times, const std::function<void(long)>& done)>;

/// The CPU reference on `threads` threads.
[[nodiscard]] PatchExtractor cpu_extractor(int threads);

}  // namespace spex
