#include "reference/extract/extract_patches.hpp"

#include <algorithm>
#include <map>

#include "reference/core/parallel.hpp"
#include "reference/extract/frame_flux.hpp"
#include "reference/extract/patch.hpp"
#include "reference/psf/scalar_spots.hpp"

namespace spex {
namespace {

// Fibers [spec_first, spec_last) and bins [wave_first, wave_last) that some patches need.
struct SpotRange {
  int spec_first, spec_last, wave_first, wave_last;
};

SpotRange spot_range(const Patch* begin, const Patch* end) {
  SpotRange range{begin->padded_spec_first(), 0, begin->padded_wave_first(), 0};
  for (const Patch* patch = begin; patch != end; ++patch) {
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

// Fibers of a whole bundle, and all bins of its patches.
SpotRange bundle_range(const ExtractInputs& inputs, const Patch& patch) {
  const BundleFibers fibers = fibers_of_bundle(inputs, patch.bundle);
  const int nsteps = (inputs.grid.nwave + patch.nwave - 1) / patch.nwave;
  return {fibers.begin, fibers.end, -patch.wavepad, nsteps * patch.nwave + patch.wavepad};
}

// The flux of the whole frame in each bundle of the patches, by bundle.
std::map<int, FrameFlux> solve_bundles(const ExtractInputs& inputs,
                                       const std::vector<Patch>& patches, int threads,
                                       StageTimes& times) {
  std::map<int, FrameFlux> flux;
  if (inputs.options.flux == FluxSolver::patch) return flux;
  for (const Patch& patch : patches) {
    if (flux.contains(patch.bundle)) continue;
    Spots spots;
    {
      const StageTimer timer(times, Stage::spots);
      spots = evaluate_range(inputs, bundle_range(inputs, patch), threads);
    }
    flux[patch.bundle] = solve_frame(inputs, patch.bundle, spots, threads, times);
  }
  return flux;
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

void extract_each(const ExtractInputs& inputs, const std::vector<Patch>& patches, int threads,
                  StageTimes& times, const Receiver& receiver, std::vector<PatchResult>& results) {
  const std::map<int, FrameFlux> flux = solve_bundles(inputs, patches, threads, times);
  const int count = static_cast<int>(patches.size());
  std::vector<StageTimes> of_threads(threads_used(threads, count));
  parallel_for(threads, count, [&](int thread, int index) {
    const Patch& patch = patches[index];
    StageTimes& mine = of_threads[thread];
    const SpotRange range = spot_range(&patch, &patch + 1);
    Spots spots;
    {
      const StageTimer timer(mine, Stage::spots);
      spots = evaluate_range(inputs, range, 1);
    }
    results[index] =
        extract_patch(patch, patch_spots(patch, spots, range), *inputs.pixels, inputs.options,
                      inputs.psferr(), mine, flux.empty() ? nullptr : &flux.at(patch.bundle));
    receiver.receive(patch, results[index], mine);
  });
  times.add(sum(of_threads));
}

void extract_bundle(const ExtractInputs& inputs, const Patch* begin, const Patch* end, int threads,
                    StageTimes& times, const Receiver& receiver, PatchResult* results) {
  const bool of_frame = inputs.options.flux == FluxSolver::frame;
  const SpotRange range = of_frame ? bundle_range(inputs, *begin) : spot_range(begin, end);
  Spots spots;
  {
    const StageTimer timer(times, Stage::spots);
    spots = evaluate_range(inputs, range, threads);
  }
  FrameFlux flux;
  if (of_frame) flux = solve_frame(inputs, begin->bundle, spots, threads, times);
  const int count = static_cast<int>(end - begin);
  std::vector<StageTimes> of_threads(threads_used(threads, count));
  parallel_for(threads, count, [&](int thread, int index) {
    results[index] = extract_patch(begin[index], patch_spots(begin[index], spots, range),
                                   *inputs.pixels, inputs.options, inputs.psferr(),
                                   of_threads[thread], of_frame ? &flux : nullptr);
    receiver.receive(begin[index], results[index], of_threads[thread]);
  });
  times.add(sum(of_threads));
}

}  // namespace

std::vector<PatchResult> extract_patches(const ExtractInputs& inputs,
                                         const std::vector<Patch>& patches, int threads,
                                         StageTimes& times, const std::function<void(long)>& done,
                                         const PlaceResult& place) {
  std::vector<PatchResult> results(patches.size());
  const Receiver receiver{done, place};
  if (traits(inputs.options.milestone).spots != SpotWork::bundle) {
    extract_each(inputs, patches, threads, times, receiver, results);
    return results;
  }
  for (std::size_t first = 0; first < patches.size();) {
    std::size_t last = first;
    while (last < patches.size() && patches[last].bundle == patches[first].bundle) ++last;
    extract_bundle(inputs, patches.data() + first, patches.data() + last, threads, times, receiver,
                   results.data() + first);
    first = last;
  }
  return results;
}

}  // namespace spex
