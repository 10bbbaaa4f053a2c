#include "gpu/extract/extract_patches.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "gpu/extract/batch/limits.hpp"
#include "gpu/extract/bundle_patches.hpp"
#include "gpu/extract/extractor_impl.hpp"
#include "reference/core/parallel.hpp"
#include "reference/extract/patch.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/model/milestones.hpp"

namespace spex::gpu {
namespace {

// Patches per batch of the band and fiber engines: all patches of a DESI frame. The GPU idles at
// the end of each kernel, and less often in larger batches.
constexpr int direct_batch = 8192;
// The other extractors of the GPU need CPUs, too.
int host_threads(const ExtractorSettings& settings) {
  return std::max(1, default_threads() / std::max(1, settings.frames_at_once));
}

}  // namespace

Extractor::Impl::Impl(const ExtractorSettings& settings)
    : device_(settings.device),
      context_((make_context(settings.device), Context())),
      frame_(context_, settings.poison, settings.pin),
      events_(context_.stream()),
      eigh_(context_, settings.poison),
      band_(context_, settings.poison),
      fibers_(context_, settings.poison, host_threads(settings)),
      guarded_(settings.poison),
      poison_(settings.poison),
      host_threads_(host_threads(settings)),
      turns_(settings.turns) {}

Extracted Extractor::Impl::extract_patches(const ExtractInputs& inputs,
                                           const std::vector<Patch>& patches, StageTimes& times,
                                           const std::function<void(long)>& done) {
  if (patches.empty()) return {};
  if (!by_bundles(inputs)) return extract_all(inputs, patches, times, done);
  // A bundle's flux is computed, and its pixels are rejected, from the whole bundle, so that they
  // do not depend on the requested part.
  const std::vector<Patch> whole = patches_of_bundles(inputs, patches);
  if (whole == patches) return extract_all(inputs, whole, times, done);
  ExtractInputs by_patches = inputs;
  by_patches.wanted = SpectraOf::patches;
  std::vector<PatchResult> of_whole = extract_all(by_patches, whole, times, [](long) {}).patches;
  std::vector<PatchResult> results;
  for (std::size_t k = 0; k < whole.size() && results.size() < patches.size(); ++k)
    if (whole[k] == patches[results.size()]) results.push_back(std::move(of_whole[k]));
  done(static_cast<long>(results.size()));
  return results;
}

std::future<Frame> Extractor::Impl::begin_output(const ExtractInputs& inputs) {
  if (!wants_frame(inputs)) return {};
  return std::async(std::launch::async,
                    [&] { return frame_.frame_to_fill(inputs, inputs.wanted); });
}

Extracted Extractor::Impl::extract_all(const ExtractInputs& inputs,
                                       const std::vector<Patch>& patches, StageTimes& times,
                                       const std::function<void(long)>& done) {
  use_device(device_);
  flux_.clear();
  events_.clear();
  std::vector<std::vector<double>> models(inputs.options.model ? patches.size() : 0);
  auto* const models_wanted = inputs.options.model ? &models : nullptr;
  guarded_.begin(guarded_job(inputs, patches, models_wanted));
  events_.time(Stage::transfer_in, [&] { frame_.load(inputs, patches); });
  std::future<Frame> output = begin_output(inputs);
  const MilestoneTraits& rung = traits(inputs.options.milestone);
  const bool wants_fibers = rung.engine == Engine::gpu_fibers;
  const bool wants_direct = wants_fibers || rung.engine == Engine::gpu_band;
  const bool by_fibers = wants_fibers && fibers_.can_do(frame_, inputs);
  const bool band_can = band_.can_do(frame_, inputs);
  const bool by_band = wants_direct && band_can;
  const bool of_frame = inputs.options.flux == FluxSolver::frame;
  if (by_bundles(inputs)) check_bundles(inputs, patches, by_fibers);
  begin_rejection(inputs, patches);
  if (by_fibers)
    extract_direct(fibers_, inputs, patches, band_can, done, models_wanted);
  else if (by_band)
    extract_direct(band_, inputs, patches, band_can, done, models_wanted);
  else
    extract_eigh(inputs, patches,
                 traits(wants_direct ? Milestone::batch_syev : rung.milestone).eigh,
                 band_can ? eigh_condition_bound : unbounded, done, models_wanted);

  std::vector<PatchStatus> status = settle(inputs, patches, band_can, models_wanted);
  // Report fallbacks of the whole frame: another engine than the requested one solved all
  // patches.
  if (wants_fibers && !by_fibers)
    std::replace(status.begin(), status.end(), PatchStatus::ok,
                 by_band ? PatchStatus::guarded : PatchStatus::fell_back);
  else if (wants_direct && !by_fibers && !by_band)
    std::replace(status.begin(), status.end(), PatchStatus::ok, PatchStatus::fell_back);
  // Solved by the reference if no engine could solve a patch of the frame's flux.
  const auto on_host = [&](std::size_t k) {
    return of_frame && (status[k] == PatchStatus::failed ||
                        flux_.at(patches[k].bundle).solution == FrameSolution::failed);
  };
  // A packed R cannot be edited.
  SpectraOf wanted = inputs.wanted;
  for (std::size_t k = 0; k < patches.size() && wanted == SpectraOf::packed_frame; ++k)
    if (on_host(k)) wanted = SpectraOf::written_frame;
  Extracted extracted;
  if (output.valid()) extracted.frame = output.get();
  events_.time(Stage::transfer_out, [&] {
    if (!wants_frame(inputs)) {
      extracted.patches = frame_.download();
    } else {
      extracted.patches.resize(patches.size());
      frame_.download_frame(wanted, extracted);
    }
  });
  events_.collect(times);
  guarded_.collect(times);
  std::vector<PatchResult>& results = extracted.patches;
  for (std::size_t k = 0; k < results.size(); ++k) {
    results[k].status = status[k];
    if (rejection() != nullptr) put_rejected(patches[k], frame_.geometry()[k], results[k]);
    if (of_frame) {
      const FrameFlux& flux = flux_.at(patches[k].bundle);
      results[k].frame = flux.solution;
      if (on_host(k)) {
        results[k] =
            extract_on_host(inputs, patches[k], flux_of(patches[k].bundle, context_.stream()));
        if (extracted.frame) place_patch(patches[k], results[k], *extracted.frame);
        continue;
      }
    }
    if (!inputs.options.model) continue;
    const PatchGeometry& patch = frame_.geometry()[k];
    results[k].x0 = patch.x0, results[k].x1 = patch.x1;
    results[k].y0 = patch.y0, results[k].y1 = patch.y1;
    results[k].model = std::move(models[k]);
    if (status[k] == PatchStatus::failed)
      std::fill(results[k].model.begin(), results[k].model.end(), 0.0);
  }
  return extracted;
}

void Extractor::Impl::begin_rejection(const ExtractInputs& inputs,
                                      const std::vector<Patch>& patches) {
  rejects_ = inputs.options.reject_pixels.has_value();
  spots_ahead_.reset();
  if (!rejects_) return;
  if (!rejection_) rejection_.emplace(context_, poison_, host_threads_);
  // The GPU works while the host learns which bundles may be in one batch; usually all.
  const auto all = static_cast<int>(patches.size());
  if (all <= std::min(direct_batch, max_patches_of_launch)) spots_ahead_ = spots_of(0, all);
  rejection_->begin(inputs, frame_, patches);
}

bool Extractor::Impl::may_join(const std::vector<Patch>& patches, int first, int next) {
  if (rejection() == nullptr || rejection()->all_apart()) return true;
  for (int k = first; k < next; ++k)
    if (!rejection()->apart(patches[k].bundle, patches[next].bundle)) return false;
  return true;
}

SpotsView Extractor::Impl::spots_of(int first, int last) {
  SpotsView spots;
  events_.time(Stage::spots, [&] { spots = frame_.evaluate_spots(first, last); });
  return spots;
}

void Extractor::Impl::extract_eigh(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                                   const EighRoutines& routines, double condition_bound,
                                   const std::function<void(long)>& done,
                                   std::vector<std::vector<double>>* models) {
  const auto all = static_cast<int>(patches.size());
  for (int first = 0; first < all;) {
    const int last = end_of_run(patches, first, same_bundle);
    const SpotsView spots = spots_of(first, last);
    while (first < last) {
      const int end = end_of_run(patches, first, same_subbundle);
      eigh_.extract(make_batch(frame_, first, end, spots), inputs, routines, condition_bound,
                    events_, models);
      context_.synchronize();
      done(end - first);
      first = end;
    }
  }
}

template <class DirectEngine>
void Extractor::Impl::extract_direct(DirectEngine& engine, const ExtractInputs& inputs,
                                     const std::vector<Patch>& patches, bool band_can,
                                     const std::function<void(long)>& done,
                                     std::vector<std::vector<double>>* models) {
  // Held until guarded patches are known, when little of the frame is left to compute.
  const HeldToken turn(turns_.get());
  const auto all = static_cast<int>(patches.size());
  for (int first = 0; first < all;) {
    int last = end_of_run(patches, first, same_bundle);
    while (last < all) {
      const int next = end_of_run(patches, last, same_bundle);
      if (next - first > direct_batch || !may_join(patches, first, last)) break;
      last = next;
    }
    last = std::min(last, first + max_patches_of_launch);
    const bool ahead = spots_ahead_ && last - first == all;
    PatchBatch batch =
        make_batch(frame_, first, last, ahead ? *spots_ahead_ : spots_of(first, last));
    if constexpr (std::is_same_v<DirectEngine, FiberEngine>) {
      engine.extract(std::move(batch), {&inputs, rejection(), &flux_, models}, events_, [&] {
        // While pixels are rejected, weights are those of this batch.
        if (band_can && (last == all || rejection() != nullptr))
          guarded_.note(rejection() != nullptr ? first : 0, last, context_.stream());
      });
      guarded_.solve_noted();
      events_.time(Stage::quality, [&] { guarded_.hold(context_.stream()); });
    } else {
      engine.extract(std::move(batch), inputs, events_, models);
    }
    if (rejection() != nullptr) rejection()->give_back();
    done(last - first);
    first = last;
  }
}

GuardedPatches::Job Extractor::Impl::guarded_job(const ExtractInputs& inputs,
                                                 const std::vector<Patch>& patches,
                                                 std::vector<std::vector<double>>* models) {
  GuardedPatches::Job job{&inputs, &patches, &frame_, models, nullptr};
  if (inputs.options.flux == FluxSolver::frame)
    job.flux = [this](int bundle, cudaStream_t stream) -> const FrameFlux& {
      return flux_of(bundle, stream);
    };
  return job;
}

Extractor::Extractor(const ExtractorSettings& settings) : impl_(std::make_unique<Impl>(settings)) {}
Extractor::Extractor(Extractor&&) noexcept = default;
Extractor& Extractor::operator=(Extractor&&) noexcept = default;
Extractor::~Extractor() = default;

Extracted Extractor::extract_patches(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                                     StageTimes& times, const std::function<void(long)>& done) {
  return impl_->extract_patches(inputs, patches, times, done);
}

std::size_t device_memory_used() {
  std::size_t free = 0, total = 0;
  SPEX_GPU_CHECK(cudaMemGetInfo(&free, &total));
  return total - free;
}

}  // namespace spex::gpu
