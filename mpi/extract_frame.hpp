// One frame, from files to file, over any number of ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "mpi/environment.hpp"
#include "reference/core/stage_times.hpp"
#include "reference/extract/assemble_frame.hpp"
#include "reference/extract/milestones.hpp"
#include "reference/model/options.hpp"

namespace spex::mpi {

/// Files and settings of one frame's extraction; the same on every rank.
struct FrameJob {
  std::string program;  ///< named in the output's header
  std::string camera;   ///< "b0" ...: that the input must be of; any where empty
  std::string input;
  std::string psf;
  std::string output;
  std::optional<std::string> model;     ///< model image
  std::optional<std::string> fibermap;  ///< table that replaces the input's own
  bool scores = true;
  bool full_precision = false;
  ExtractOptions options;
  /// Ranks that share a bundle, by its subbundles; as the number of ranks asks for where absent.
  std::optional<int> ranks_per_bundle;
  bool show_progress = true;  ///< on rank 0
};

struct FrameSummary {
  PatchCounts counts;  ///< on rank 0
  StageTimes times;    ///< seconds of all threads of all ranks, on rank 0
};

/// Extracts patches of a frame on this rank, CPU or GPU; as spex::extract_patches.
using PatchExtractor = std::function<std::vector<PatchResult>(
    const ExtractInputs& inputs, const std::vector<Patch>& patches, StageTimes& times,
    const std::function<void(long)>& done)>;

/// The CPU reference on `threads` threads.
[[nodiscard]] PatchExtractor cpu_extractor(int threads);

/// Rank 0 reads and checks, all ranks extract their patches, rank 0 writes. The output is the same,
/// to the byte, for any number of ranks and threads. Throws the same CollectiveError on every rank
/// where any rank fails; nothing is written then.
FrameSummary extract_frame(const Communicator& comm, const FrameJob& job,
                           const PatchExtractor& extract);

}  // namespace spex::mpi
