#include "gpu/extract/extract_patches.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "gpu/core/copy.hpp"
#include "gpu/extract/band/engine_band.hpp"
#include "gpu/extract/batch/limits.hpp"
#include "gpu/extract/bundle_patches.hpp"
#include "gpu/extract/eigh/engine_eigh.hpp"
#include "gpu/extract/fibers/engine_fibers.hpp"
#include "gpu/extract/guarded_patches.hpp"
#include "gpu/extract/reject_pixels/pixel_rejection.hpp"
#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/extract/decorrelate.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/patch.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/model/milestones.hpp"

namespace spex::gpu {
namespace {

// Patches per batch of the band and fiber engines: all patches of a DESI frame. The GPU idles at
// the end of each kernel, and less often in larger batches.
constexpr int direct_batch = 8192;
// No limit of condition numbers: no patch is left to the band engine.
constexpr double unbounded = std::numeric_limits<double>::infinity();
// The other extractors of the GPU need CPUs, too.
int host_threads(const ExtractorSettings& settings) {
  return std::max(1, default_threads() / std::max(1, settings.frames_at_once));
}

}  // namespace

class Extractor::Impl {
 public:
  explicit Impl(const ExtractorSettings& settings)
      : device_(settings.device),
        context_((make_context(settings.device), Context())),
        frame_(context_, settings.poison, settings.pin),
        events_(context_.stream()),
        eigh_(context_, settings.poison),
        band_(context_, settings.poison),
        fibers_(context_, settings.poison, host_threads(settings)),
        guarded_(settings.poison),
        poison_(settings.poison),
        host_threads_(host_threads(settings)) {}

  Extracted extract_patches(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                            StageTimes& times, const std::function<void(long)>& done) {
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

 private:
  // Whether something is found for a whole bundle before its patches.
  static bool by_bundles(const ExtractInputs& inputs) {
    return inputs.options.flux == FluxSolver::frame || inputs.options.reject_pixels.has_value();
  }

  // Whether the output is a frame, not patches.
  static bool wants_frame(const ExtractInputs& inputs) {
    return inputs.wanted != SpectraOf::patches && !inputs.options.model;
  }
  // Makes the frame to fill, unless it is made or not wanted.
  void make_output(const ExtractInputs& inputs) {
    if (!output_ && wants_frame(inputs)) output_ = frame_.frame_to_fill(inputs, inputs.wanted);
  }

  Extracted extract_all(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                        StageTimes& times, const std::function<void(long)>& done) {
    use_device(device_);
    flux_.clear();
    output_.reset();
    events_.clear();
    std::vector<std::vector<double>> models(inputs.options.model ? patches.size() : 0);
    auto* const models_wanted = inputs.options.model ? &models : nullptr;
    guarded_.begin(guarded_job(inputs, patches, models_wanted));
    events_.time(Stage::transfer_in, [&] { frame_.load(inputs, patches); });
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
    make_output(inputs);
    extracted.frame = std::exchange(output_, std::nullopt);
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

  // Solves by the reference a patch of the frame's flux that no engine could solve.
  PatchResult extract_on_host(const ExtractInputs& inputs, const Patch& patch,
                              const FrameFlux& flux) {
    const Spots spots =
        spex::evaluate_spots(*inputs.psf, patch.padded_spec_first(), patch.padded_nspec(),
                             inputs.grid.range(patch.padded_wave_first(), patch.padded_nwave()));
    StageTimes times;  // host times; the stages record GPU times
    const bool rejects = rejection() != nullptr;
    return extract_patch(
        patch, {&spots, 0, 0, patch.padded_nspec(), patch.padded_nwave()},
        {rejects ? rejection()->pixels_of(patch.bundle) : *inputs.pixels, inputs.options,
         inputs.psferr(), &flux, rejects ? &rejection()->of(patch.bundle) : nullptr},
        times);
  }

  // The rejection of this frame's pixels; nullptr if none are rejected.
  PixelRejection* rejection() { return rejects_ ? &*rejection_ : nullptr; }

  void begin_rejection(const ExtractInputs& inputs, const std::vector<Patch>& patches) {
    rejects_ = inputs.options.reject_pixels.has_value();
    spots_ahead_.reset();
    if (!rejects_) return;
    if (!rejection_) rejection_.emplace(context_, poison_, host_threads_);
    // The GPU works while the host learns which bundles may be in one batch; usually all.
    const auto all = static_cast<int>(patches.size());
    if (all <= std::min(direct_batch, max_patches_of_launch)) spots_ahead_ = spots_of(0, all);
    rejection_->begin(inputs, frame_, patches);
  }

  void put_rejected(const Patch& patch, const PatchGeometry& geometry, PatchResult& result) {
    const PixelRange range{geometry.x0, geometry.x1, geometry.y0, geometry.y1};
    rejection()->of(patch.bundle).put_into(patch, range, frame_.pixels().nx, result);
  }

  // Runs `work` on some patches without the weights of their bundles' rejected pixels.
  template <class Work>
  void without_rejected(const std::vector<Patch>& patches, const std::vector<int>& index,
                        const Work& work) {
    if (rejection() == nullptr) {
      work();
      return;
    }
    std::set<int> bundles;
    for (const int k : index) bundles.insert(patches[k].bundle);
    rejection()->take({bundles.begin(), bundles.end()});
    work();
    rejection()->give_back();
  }

  // Whether the bundle that begins at `next` may be in the batch of patches from `first` on.
  bool may_join(const std::vector<Patch>& patches, int first, int next) {
    if (rejection() == nullptr || rejection()->all_apart()) return true;
    for (int k = first; k < next; ++k)
      if (!rejection()->apart(patches[k].bundle, patches[next].bundle)) return false;
    return true;
  }

  SpotsView spots_of(int first, int last) {
    SpotsView spots;
    events_.time(Stage::spots, [&] { spots = frame_.evaluate_spots(first, last); });
    return spots;
  }

  void extract_eigh(const ExtractInputs& inputs, const std::vector<Patch>& patches,
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
  void extract_direct(DirectEngine& engine, const ExtractInputs& inputs,
                      const std::vector<Patch>& patches, bool band_can,
                      const std::function<void(long)>& done,
                      std::vector<std::vector<double>>* models) {
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
        // The GPU has work for milliseconds.
        make_output(inputs);
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

  GuardedPatches::Job guarded_job(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                                  std::vector<std::vector<double>>* models) {
    GuardedPatches::Job job{&inputs, &patches, &frame_, models, nullptr};
    if (inputs.options.flux == FluxSolver::frame)
      job.flux = [this](int bundle, cudaStream_t stream) -> const FrameFlux& {
        return flux_of(bundle, stream);
      };
    return job;
  }

  // Reads the status of all patches. Solves refused patches again as bands, and then failed patches
  // one by one by eigh; with the frame's flux they stay failed instead.
  std::vector<PatchStatus> settle(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                                  bool band_can, std::vector<std::vector<double>>* models) {
    std::vector<int> failed = read_status(patches.size());
    std::vector<PatchStatus> status(patches.size(), PatchStatus::ok);
    const bool of_frame = inputs.options.flux == FluxSolver::frame;
    std::vector<int> refused;
    for (std::size_t k = 0; k < failed.size() && band_can; ++k)
      if (failed[k] == guarded) refused.push_back(static_cast<int>(k));
    const bool by_bundle = rejection() != nullptr && !rejection()->all_apart();
    guarded_.solve_others(
        refused, by_bundle, context_.stream(),
        [&](const auto& index, const auto& work) { without_rejected(patches, index, work); });
    for (const int k : guarded_.finish(failed)) status[k] = PatchStatus::guarded;
    for (std::size_t k = 0; k < failed.size(); ++k) {
      if (failed[k] == 0) continue;
      if (of_frame) {
        status[k] = PatchStatus::failed;
        continue;
      }
      const auto index = static_cast<int>(k);
      SPEX_GPU_CHECK(cudaMemsetAsync(frame_.status() + index, 0, sizeof(int), context_.stream()));
      without_rejected(patches, {index}, [&] {
        eigh_.extract(make_batch(frame_, index, index + 1, spots_of(index, index + 1)), inputs,
                      fallback_routines, unbounded, events_, models);
      });
      const bool solved = to_host<int>(frame_.status() + index, 1, context_.stream())[0] == 0;
      status[k] = solved ? PatchStatus::fell_back : PatchStatus::failed;
    }
    return status;
  }

  // The flux with f, which few bundles need on the host.
  const FrameFlux& flux_of(int bundle, cudaStream_t stream) {
    FrameFlux& flux = flux_.at(bundle);
    fibers_.download_flux(flux, stream);
    return flux;
  }

  // Most of a frame's time is spent waiting here, after the kernels have been launched.
  std::vector<int> read_status(std::size_t count) {
    wait_for(context_.stream());
    return to_host<int>(frame_.status(), count, context_.stream());
  }

  int device_;
  Context context_;
  FrameOnDevice frame_;
  StageEvents events_;
  EighEngine eigh_;
  BandEngine band_;
  FiberEngine fibers_;
  GuardedPatches guarded_;
  std::map<int, FrameFlux> flux_;  // flux of the frame, by bundle
  bool poison_;
  int host_threads_;
  std::optional<SpotsView> spots_ahead_;  // of all patches
  std::optional<Frame> output_;           // made while the GPU works
  bool rejects_ = false;                  // pixels of this frame
  std::optional<PixelRejection> rejection_;
};

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
