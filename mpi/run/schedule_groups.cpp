// Schedules over groups of ranks: sequential and interleave-io.
#include <algorithm>
#include <future>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/comm/gather.hpp"
#include "mpi/run/assign.hpp"
#include "mpi/run/groups.hpp"
#include "mpi/run/schedule.hpp"
#include "reference/model/milestones.hpp"

namespace spex::mpi {
namespace {

// All ranks of a group run the same loop; their roles determine what they do. A frame goes from the
// reader to the workers through the communicator `in`, and from the workers to the writer through
// `out`. The reader is rank 0 of `in`, the writer rank 0 of `out`; workers are the ranks from
// first_worker on.
//
// interleave-io: the reader and the writer are not workers, and each takes part in one communicator
// only. The reader reads frame k+1 while frame k is extracted, and then waits for the workers; the
// writer writes frame k-1 until the workers have finished frame k. At most one frame waits on
// either side.
struct Group {
  int index = 0;
  int count = 1;
  bool reads = false;
  bool writes = false;
  bool extracts = false;
  int first_worker = 0;
  std::vector<int> device_of_worker;  // of the ranks that extract
  std::optional<Communicator> in;
  std::optional<Communicator> out;

  [[nodiscard]] int workers() const { return out->size() - first_worker; }
};

Group join_group(const Run& run) {
  const Communicator& world = run.world;
  const std::vector<int> nodes = nodes_of_ranks(world);
  Group group;
  collective(world, [&] {
    const std::vector<int> group_of = assign_groups(nodes, run.job.groups);
    group.index = group_of.at(world.rank());
    group.count = *std::max_element(group_of.begin(), group_of.end()) + 1;
  });
  std::optional<Communicator> ranks = world.split(group.index);
  const bool interleaves = run.job.schedule == Schedule::interleave_io;
  collective(world, [&] {
    if (interleaves && ranks->size() < 3)
      throw usage_error(
          to_string(run.job.schedule),
          fmt::format("a group of {} rank(s) has no reader, writer and worker", ranks->size()),
          fmt::format("at least 3 ranks in each of {} group(s)", group.count));
    const int workers = ranks->size() - (interleaves ? 2 : 0);
    if (run.job.settings.ranks_per_bundle.value_or(1) > workers)
      throw usage_error("--ranks-per-bundle", std::to_string(*run.job.settings.ranks_per_bundle),
                        workers == 1
                            ? "1: one rank extracts here; mpirun -n N starts more"
                            : fmt::format("1 to {}, the ranks that extract in a group", workers));
  });
  group.reads = ranks->rank() == 0;
  group.writes = ranks->rank() == (interleaves ? 1 : 0);
  group.extracts = !interleaves || ranks->rank() > 1;
  group.first_worker = interleaves ? 1 : 0;
  group.in = ranks->split(group.reads || group.extracts ? 0 : -1);
  group.out = ranks->split(group.writes || group.extracts ? 0 : -1);
  if (group.out) {
    const std::vector<int> devices = devices_of_ranks(*group.out, run.job.settings.device);
    group.device_of_worker.assign(devices.begin() + group.first_worker, devices.end());
  }
  return group;
}

class GroupRun {
 public:
  // `first`: the group's first frame, which is read while the extractor is created; nothing if
  // there are fewer frames.
  GroupRun(const Run& run, Group group, int first) : run_(run), group_(std::move(group)) {
    if (group_.reads && first < static_cast<int>(run.job.frames.size()))
      first_read_ = std::async(std::launch::async, [&run, first] {
        Read read;
        read.failure =
            read_step(run, first, run.job.settings.read_threads, read.inputs, read.times);
        return read;
      });
    collective(run.world, [&] {
      if (!group_.extracts) return;
      const PhaseScope phase(run, -1, Phase::start);
      extract_ = run_.make(0);
    });
  }

  void one_frame(int frame) {
    FrameInputs inputs;
    std::optional<Failure> failure;
    if (group_.reads) failure = lost_ ? lost_ : read(frame, inputs);
    if (group_.in) failure = share(frame, failure, inputs);
    if (!group_.out) return;

    std::vector<int> rank_of;
    Extracted extracted;
    if (group_.extracts && !failure)
      failure = lost_ ? lost_ : extract(frame, inputs, rank_of, extracted);
    if (const auto failed = agree(*group_.out, failure)) {
      failure = failed->failure;
      note_lost(*failure);
    } else {
      gather(frame, inputs, rank_of, extracted);
    }
    if (group_.writes)
      run_.outcomes.report(write_step(run_, {frame, std::move(failure), inputs, extracted},
                                      run_.job.settings.write_threads, run_.times));
  }

 private:
  struct Read {
    FrameInputs inputs;
    std::optional<Failure> failure;
    StageTimes times;
  };

  std::optional<Failure> read(int frame, FrameInputs& inputs) {
    if (!first_read_.valid())
      return read_step(run_, frame, run_.job.settings.read_threads, inputs, run_.times);
    Read first = first_read_.get();
    run_.times.add(first.times);
    inputs = std::move(first.inputs);
    return std::move(first.failure);
  }

  // Every frame needs all workers. If an extractor is lost, each later frame fails at once with
  // this failure.
  void note_lost(const Failure& failure) {
    if (failure.kind == ErrorKind::device && !lost_)
      lost_ = Failure{failure.kind, "an extractor was lost earlier: " + failure.text};
  }

  // Sends a frame from the reader to the workers: its number, and the failure or the inputs.
  std::optional<Failure> share(int frame, const std::optional<Failure>& failure,
                               FrameInputs& inputs) {
    const Communicator& in = *group_.in;
    int sent = frame;
    broadcast(in, sent);
    if (sent != frame)
      throw std::logic_error(fmt::format("received frame {} instead of {}", sent, frame));
    std::optional<Failure> what = failure;
    broadcast(in, what);
    if (!what) broadcast(in, inputs);
    return what;
  }

  std::optional<Failure> extract(int frame, const FrameInputs& inputs, std::vector<int>& rank_of,
                                 Extracted& extracted) {
    std::vector<Patch> mine;
    std::optional<Failure> failure = attempt([&] {
      const FrameSettings& settings = run_.job.settings;
      rank_of =
          assign_patches(inputs.patches, group_.workers(), traits(settings.options.milestone).unit,
                         settings.ranks_per_bundle, group_.device_of_worker);
      for (int& rank : rank_of) rank += group_.first_worker;
      mine = share_of(inputs.patches, rank_of, group_.out->rank());
    });
    // A rank that does everything sends no patches.
    const SpectraOf wanted =
        alone() ? whole_frame(run_.job.settings, run_.job.files(frame).output) : SpectraOf::patches;
    if (!failure)
      failure = extract_step(run_, frame, extract_, {inputs, mine, wanted}, extracted, run_.times);
    if (failure && !run_.world.is_root())
      failure->text = fmt::format("rank {}: {}", run_.world.rank(), failure->text);
    return failure;
  }

  // Sends results to the writer. Here every rank depends on all others: a failure ends the run.
  void gather(int frame, FrameInputs& inputs, std::vector<int>& rank_of, Extracted& extracted) {
    const StageTimer stage(run_.times, Stage::gather);
    const PhaseScope phase(run_, frame, Phase::gather);
    if (group_.extracts) run_.before(Phase::gather, frame);
    if (alone()) return;
    const Communicator& out = *group_.out;
    if (group_.first_worker > 0) {  // the writer does not have the frame yet
      broadcast_description(out, inputs, group_.first_worker);
      broadcast(out, rank_of, group_.first_worker);
    }
    extracted.patches = gather_results(out, rank_of, std::move(extracted.patches), frame);
  }

  // Whether this rank is the whole group.
  [[nodiscard]] bool alone() const { return group_.out->size() == 1; }

  const Run& run_;
  Group group_;
  PatchExtractor extract_;
  std::optional<Failure> lost_;  // equal on all ranks of `out`
  std::future<Read> first_read_;
};

}  // namespace

void run_groups(const Run& run) {
  Group group = join_group(run);
  const int first = group.index;
  const int step = group.count;
  GroupRun group_run(run, std::move(group), first);
  for (int frame = first; frame < static_cast<int>(run.job.frames.size()); frame += step) {
    try {
      group_run.one_frame(frame);
    } catch (const std::exception& error) {
      const FrameFiles& files = run.job.files(frame);
      throw Error(ErrorKind::internal,
                  files.camera.empty() ? files.output : "frame " + files.camera, error.what());
    }
    run.outcomes.poll();
  }
}

}  // namespace spex::mpi
