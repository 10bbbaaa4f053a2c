#include "mpi/run/extract_frame.hpp"

#include <utility>
#include <vector>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/comm/gather.hpp"
#include "mpi/run/assign.hpp"
#include "reference/core/progress.hpp"
#include "reference/frame/frame_steps.hpp"

namespace spex::mpi {

FrameSummary extract_frame(const Communicator& comm, const FrameJob& job,
                           const PatchExtractor& extract) {
  FrameSummary summary;
  FrameInputs inputs;
  on_root(comm, [&] { inputs = read_frame_inputs(job, summary.times); });
  broadcast(comm, inputs, 0);

  std::vector<Patch> patches;
  std::vector<int> rank_of;
  std::vector<PatchResult> mine;
  collective(comm, [&] {
    patches = patches_of(job, inputs);
    rank_of = assign_patches(patches, comm.size(), job.options.milestone, job.ranks_per_bundle);
    const std::vector<Patch> share = share_of(patches, rank_of, comm.rank());
    Progress progress(job.output, "patches", static_cast<long>(share.size()),
                      comm.is_root() && job.show_progress);
    mine = extract(inputs.view(job.options), share, summary.times,
                   [&](long count) { progress.advance(count); });
  });

  std::vector<PatchResult> results;
  {
    const StageTimer timer(summary.times, Stage::gather);
    results = gather_results(comm, rank_of, std::move(mine));
  }
  summary.times = gather_times(comm, summary.times);
  on_root(comm, [&] {
    summary.counts = write_frame_outputs(job, inputs, patches, results, summary.times);
  });
  return summary;
}

}  // namespace spex::mpi
