// One frame, from files to file, over any number of ranks with the CPU extractor.
#pragma once

#include <optional>
#include <string>

#include "mpi/environment.hpp"
#include "reference/core/stage_times.hpp"
#include "reference/extract/assemble_frame.hpp"
#include "reference/model/options.hpp"

namespace spex::mpi {

/// Files and settings of one frame's extraction; the same on every rank.
struct FrameJob {
  std::string program;  ///< named in the output's header
  std::string input;
  std::string psf;
  std::string output;
  std::optional<std::string> model;     ///< model image
  std::optional<std::string> fibermap;  ///< table that replaces the input's own
  bool scores = true;
  bool full_precision = false;
  ExtractOptions options;
  int threads = 1;            ///< of this rank
  bool show_progress = true;  ///< on rank 0
};

struct FrameSummary {
  PatchCounts counts;  ///< on rank 0
  StageTimes times;    ///< seconds of all threads of all ranks, on rank 0
};

/// Rank 0 reads and checks, all ranks extract their patches, rank 0 writes. The output is the same,
/// to the byte, for any number of ranks and threads. Throws the same Error on every rank where any
/// rank fails; nothing is written then.
FrameSummary extract_frame(const Communicator& comm, const FrameJob& job);

}  // namespace spex::mpi
