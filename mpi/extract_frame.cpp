#include "mpi/extract_frame.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mpi/assign.hpp"
#include "mpi/broadcast.hpp"
#include "mpi/collective.hpp"
#include "mpi/gather.hpp"
#include "reference/core/error.hpp"
#include "reference/core/progress.hpp"
#include "reference/extract/frame_keywords.hpp"
#include "reference/extract/scores.hpp"
#include "reference/extract/weights.hpp"
#include "reference/io/atomic_write.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/io/write_frame.hpp"
#include "reference/layout/check_coverage.hpp"

namespace spex::mpi {
namespace {

// What rank 0 reads. `preproc` keeps what goes through to the output; its pixels are in `pixels`.
struct Inputs {
  Psf psf;
  Preproc preproc;
  Pixels pixels;
  WaveGrid grid;
};

Inputs read_inputs(const FrameJob& job, StageTimes& times) {
  Inputs inputs;
  check_writable(job.output);
  if (job.model) check_writable(*job.model);
  {
    const StageTimer timer(times, Stage::read);
    inputs.psf = read_psf(job.psf);
    inputs.preproc = read_preproc(job.input);
    if (job.fibermap) inputs.preproc.fibermap = read_fibermap(*job.fibermap);
  }
  const StageTimer timer(times, Stage::convert);
  if (inputs.preproc.nx != inputs.psf.npix_x || inputs.preproc.ny != inputs.psf.npix_y)
    throw data_error(
        job.input, fmt::format("{} x {} pixels", inputs.preproc.nx, inputs.preproc.ny),
        fmt::format("NPIX_X x NPIX_Y of the PSF, {} x {}", inputs.psf.npix_x, inputs.psf.npix_y));
  inputs.grid = make_wave_grid(
      job.options.wavelength.value_or(default_wave_range(inputs.preproc.camera, job.input)));
  inputs.pixels = make_pixels(std::move(inputs.preproc), job.options.mask_bits);
  return inputs;
}

void write_outputs(const FrameJob& job, const Inputs& inputs, const ExtractInputs& extract,
                   const std::vector<Patch>& patches, const std::vector<PatchResult>& results,
                   FrameSummary& summary) {
  const StageTimer timer(summary.times, Stage::write);
  summary.counts = count_patches(results);
  const Frame frame = assemble_frame(extract, patches, results);
  FrameFileContent content;
  content.frame = &frame;
  content.camera = inputs.preproc.camera;
  content.cards = inputs.preproc.cards;
  content.keywords = frame_keywords({job.program, job.input, job.psf}, extract,
                                    inputs.preproc.fibermap, summary.counts);
  content.fibermap = &inputs.preproc.fibermap;
  const Scores scores = compute_scores(frame, content.camera);
  if (job.scores) content.scores = &scores;
  content.full_precision = job.full_precision;
  write_frame(job.output, content);
  if (job.model)
    write_model(*job.model, assemble_model(inputs.pixels.nx, inputs.pixels.ny, results),
                content.cards, content.keywords);
}

}  // namespace

FrameSummary extract_frame(const Communicator& comm, const FrameJob& job) {
  FrameSummary summary;
  Inputs inputs;
  std::vector<Patch> patches;
  on_root(comm, [&] {
    inputs = read_inputs(job, summary.times);
    patches = make_patches(job.options, inputs.grid, inputs.psf.nfiber);
    check_coverage(inputs.psf, inputs.grid, patches);
  });
  broadcast(comm, inputs.psf);
  broadcast(comm, inputs.pixels);
  broadcast(comm, inputs.grid);

  const ExtractInputs extract{&inputs.psf, &inputs.pixels, inputs.grid, job.options};
  std::vector<int> rank_of;
  std::vector<PatchResult> mine;
  collective(comm, [&] {
    patches = make_patches(job.options, inputs.grid, inputs.psf.nfiber);
    rank_of = assign_patches(patches, comm.size(), job.options.milestone);
    const auto first = std::lower_bound(rank_of.begin(), rank_of.end(), comm.rank());
    const auto last = std::upper_bound(first, rank_of.end(), comm.rank());
    const std::vector<Patch> share(patches.begin() + (first - rank_of.begin()),
                                   patches.begin() + (last - rank_of.begin()));
    Progress progress(job.output, "patches", static_cast<long>(share.size()),
                      comm.is_root() && job.show_progress);
    mine = extract_patches(extract, share, job.threads, summary.times,
                           [&](long count) { progress.advance(count); });
  });

  std::vector<PatchResult> results;
  {
    const StageTimer timer(summary.times, Stage::gather);
    results = gather_results(comm, rank_of, std::move(mine));
  }
  summary.times = gather_times(comm, summary.times);
  on_root(comm, [&] { write_outputs(job, inputs, extract, patches, results, summary); });
  return summary;
}

}  // namespace spex::mpi
