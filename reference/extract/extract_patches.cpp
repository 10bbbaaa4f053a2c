#include "reference/extract/extract_patches.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "reference/core/parallel.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/frame_flux.hpp"
#include "reference/extract/patch.hpp"
#include "reference/extract/reject_pixels.hpp"
#include "reference/model/milestones.hpp"
#include "reference/psf/scalar_spots.hpp"

namespace spex {
namespace {

// Fibers [spec_first, spec_last) and bins [wave_first, wave_last) that some patches need.
struct SpotRange {
  int spec_first = 0, spec_last = 0, wave_first = 0, wave_last = 0;
};

// Patches whose spots are evaluated together.
using Window = std::vector<const Patch*>;

SpotRange spot_range(const Window& window) {
  SpotRange range{window[0]->padded_spec_first(), 0, window[0]->padded_wave_first(), 0};
  for (const Patch* patch : window) {
    range.spec_first = std::min(range.spec_first, patch->padded_spec_first());
    range.spec_last = std::max(range.spec_last, patch->padded_spec_first() + patch->padded_nspec());
    range.wave_first = std::min(range.wave_first, patch->padded_wave_first());
    range.wave_last = std::max(range.wave_last, patch->padded_wave_first() + patch->padded_nwave());
  }
  return range;
}

Spots evaluate_range(const ExtractInputs& inputs, const SpotRange& range, int threads) {
  const std::vector<double> wave =
      inputs.grid.range(range.wave_first, range.wave_last - range.wave_first);
  const int nspec = range.spec_last - range.spec_first;
  if (traits(inputs.options.milestone).spots == SpotWork::scalar)
    return evaluate_spots_one_by_one(*inputs.psf, range.spec_first, nspec, wave);
  return evaluate_spots(*inputs.psf, range.spec_first, nspec, wave, threads);
}

PatchSpots patch_spots(const Patch& patch, const Spots& spots, const SpotRange& range) {
  return {&spots, patch.padded_spec_first() - range.spec_first,
          patch.padded_wave_first() - range.wave_first, patch.padded_nspec(), patch.padded_nwave()};
}

StageTimes sum(const std::vector<StageTimes>& of_threads) {
  StageTimes total;
  for (const StageTimes& times : of_threads) total.add(times);
  return total;
}

// Bins of a bundle's spots before those of its patches, and after them.
int bins_before(const ExtractInputs& inputs) {
  return inputs.options.reject_pixels ? more_bins(inputs) : 0;
}

// Fibers of a whole bundle, and all bins of its patches.
SpotRange bundle_range(const ExtractInputs& inputs, const Patch& patch) {
  const BundleFibers fibers = fibers_of_bundle(inputs, patch.bundle);
  const int nsteps = (inputs.grid.nwave + patch.nwave - 1) / patch.nwave;
  const int pad = patch.wavepad + bins_before(inputs);
  return {fibers.begin, fibers.end, -pad, nsteps * patch.nwave + pad};
}

// What is found for a whole bundle before its patches.
struct BundleSolution {
  RejectedPixels rejected;        // none without options.reject_pixels
  std::optional<FrameFlux> flux;  // with FluxSolver::frame

  [[nodiscard]] const FrameFlux* flux_or_null() const { return flux ? &*flux : nullptr; }
};

// `spots` are those of the bundle's range; without `own`, FluxSolver::patch needs none. `own`, if
// there is one, has the weights of the frame, and loses those of the rejected pixels.
BundleSolution solve_bundle(const ExtractInputs& inputs, int bundle, const Spots& spots,
                            BundlePixels* own, int threads, StageTimes& times) {
  BundleSolution solution;
  ExtractInputs seen = inputs;
  if (own != nullptr) {
    solution.rejected = reject_pixels(inputs, bundle, spots, *own, threads, times);
    seen.pixels = &own->pixels();
  }
  if (inputs.options.flux == FluxSolver::frame)
    solution.flux = solve_frame(seen, {bundle, spots, bins_before(inputs)}, threads, times);
  return solution;
}

// The solutions of all bundles of the patches, by bundle.
std::map<int, BundleSolution> solve_bundles(const ExtractInputs& inputs, const Patch* begin,
                                            const Patch* end, BundlePixels* own, int threads,
                                            StageTimes& times) {
  std::map<int, BundleSolution> solutions;
  if (inputs.options.flux == FluxSolver::patch && own == nullptr) return solutions;
  for (const Patch* patch = begin; patch != end; ++patch) {
    if (solutions.contains(patch->bundle)) continue;
    Spots spots;
    {
      const StageTimer timer(times, Stage::spots);
      spots = evaluate_range(inputs, bundle_range(inputs, *patch), threads);
    }
    solutions[patch->bundle] = solve_bundle(inputs, patch->bundle, spots, own, threads, times);
  }
  return solutions;
}

// What is done with each result.
struct Receiver {
  const std::function<void(long)>& done;
  const PlaceResult& place;

  void receive(const Patch& patch, PatchResult& result, StageTimes& times) const {
    if (place) {
      const StageTimer timer(times, Stage::gather);
      place(patch, result);
    }
    done(1);
  }
};

// Consecutive patches [begin, end) and where their results go.
struct PatchRun {
  const Patch* begin;
  const Patch* end;
  PatchResult* results;
};

// Extracts patches, of one bundle if there is `own`.
void extract_each(const ExtractInputs& inputs, const PatchRun& run, BundlePixels* own, int threads,
                  StageTimes& times, const Receiver& receiver) {
  const auto [begin, end, results] = run;
  const std::map<int, BundleSolution> solutions =
      solve_bundles(inputs, begin, end, own, threads, times);
  const Pixels& pixels = own != nullptr ? own->pixels() : *inputs.pixels;
  const int count = static_cast<int>(end - begin);
  std::vector<StageTimes> of_threads(threads_used(threads, count));
  parallel_for(threads, count, [&](int thread, int index) {
    const Patch& patch = begin[index];
    StageTimes& mine = of_threads[thread];
    const SpotRange range = spot_range({&patch});
    Spots spots;
    {
      const StageTimer timer(mine, Stage::spots);
      spots = evaluate_range(inputs, range, 1);
    }
    const auto solution = solutions.find(patch.bundle);
    const bool solved = solution != solutions.end();
    results[index] = extract_patch(patch, patch_spots(patch, spots, range),
                                   {pixels, inputs.options, inputs.psferr(),
                                    solved ? solution->second.flux_or_null() : nullptr,
                                    solved ? &solution->second.rejected : nullptr},
                                   mine);
    receiver.receive(patch, results[index], mine);
  });
  times.add(sum(of_threads));
  if (own != nullptr) own->restore(solutions.at(begin->bundle).rejected.places);
}

// Patches and their spots.
struct WindowOfSpots {
  Window patches;
  SpotRange range;
  Spots spots;
};

void extract_window(const PatchInputs& inputs, const PatchRun& run, const WindowOfSpots& window,
                    int threads, StageTimes& times, const Receiver& receiver) {
  const int count = static_cast<int>(window.patches.size());
  std::vector<StageTimes> of_threads(threads_used(threads, count));
  parallel_for(threads, count, [&](int thread, int index) {
    const Patch& patch = *window.patches[index];
    PatchResult& result = run.results[&patch - run.begin];
    result = extract_patch(patch, patch_spots(patch, window.spots, window.range), inputs,
                           of_threads[thread]);
    receiver.receive(patch, result, of_threads[thread]);
  });
  times.add(sum(of_threads));
}

Window all_of(const PatchRun& run) {
  Window all;
  for (const Patch* patch = run.begin; patch != run.end; ++patch) all.push_back(patch);
  return all;
}

// Extracts patches that need the spots of the whole bundle.
void extract_whole_bundle(const ExtractInputs& inputs, const PatchRun& run, BundlePixels* own,
                          int threads, StageTimes& times, const Receiver& receiver) {
  WindowOfSpots bundle{all_of(run), bundle_range(inputs, *run.begin), {}};
  {
    const StageTimer timer(times, Stage::spots);
    bundle.spots = evaluate_range(inputs, bundle.range, threads);
  }
  const BundleSolution solution =
      solve_bundle(inputs, run.begin->bundle, bundle.spots, own, threads, times);
  const PatchInputs of_patch{own != nullptr ? own->pixels() : *inputs.pixels, inputs.options,
                             inputs.psferr(), solution.flux_or_null(), &solution.rejected};
  extract_window(of_patch, run, bundle, threads, times, receiver);
  if (own != nullptr) own->restore(solution.rejected.places);
}

// Wavelength steps of a window for each thread: their spots, 8 MB, stay in caches until all patches
// have read them.
constexpr int steps_at_once = 4;

// The patches of a bundle, `steps` wavelength steps after `steps` others.
std::vector<Window> windows_of(const PatchRun& run, int steps) {
  std::map<int, Window> by_steps;
  for (const Patch* patch : all_of(run)) by_steps[patch->step / steps].push_back(patch);
  std::vector<Window> windows;
  for (auto& [number, window] : by_steps) windows.push_back(std::move(window));
  return windows;
}

// The patches with their spots, which begin with the last ones of the window before.
WindowOfSpots next_window(const ExtractInputs& inputs, const WindowOfSpots& before,
                          const Window& patches, int threads) {
  const SpotRange range = spot_range(patches);
  const bool same_fibers =
      before.range.spec_first == range.spec_first && before.range.spec_last == range.spec_last;
  const int known = same_fibers ? std::max(0, before.range.wave_last - range.wave_first) : 0;
  const std::vector<double> wave =
      inputs.grid.range(range.wave_first, range.wave_last - range.wave_first);
  return {patches, range,
          continue_spots({&before.spots, known}, *inputs.psf, range.spec_first,
                         range.spec_last - range.spec_first, wave, threads)};
}

void extract_bundle(const ExtractInputs& inputs, const PatchRun& run, BundlePixels* own,
                    int threads, StageTimes& times, const Receiver& receiver) {
  if (own != nullptr || inputs.options.flux == FluxSolver::frame)
    return extract_whole_bundle(inputs, run, own, threads, times, receiver);
  const PatchInputs of_patch{*inputs.pixels, inputs.options, inputs.psferr()};
  WindowOfSpots window;
  for (const Window& patches : windows_of(run, steps_at_once * std::max(1, threads))) {
    {
      const StageTimer timer(times, Stage::spots);
      window = next_window(inputs, window, patches, threads);
    }
    extract_window(of_patch, run, window, threads, times, receiver);
  }
}

}  // namespace

std::vector<PatchResult> extract_patches(const ExtractInputs& inputs,
                                         const std::vector<Patch>& patches, int threads,
                                         StageTimes& times, const std::function<void(long)>& done,
                                         const PlaceResult& place) {
  std::vector<PatchResult> results(patches.size());
  const Receiver receiver{done, place};
  const Patch* const begin = patches.data();
  const Patch* const end = begin + patches.size();
  std::optional<BundlePixels> own;
  if (inputs.options.reject_pixels) own.emplace(*inputs.pixels);
  const bool by_bundles = traits(inputs.options.milestone).spots == SpotWork::bundle;
  if (!by_bundles && !own) {
    extract_each(inputs, {begin, end, results.data()}, nullptr, threads, times, receiver);
    return results;
  }
  for (const Patch* first = begin; first != end;) {
    const Patch* const last =
        std::find_if(first, end, [&](const Patch& patch) { return patch.bundle != first->bundle; });
    const auto extract = by_bundles ? extract_bundle : extract_each;
    extract(inputs, {first, last, results.data() + (first - begin)}, own ? &*own : nullptr, threads,
            times, receiver);
    first = last;
  }
  return results;
}

}  // namespace spex
