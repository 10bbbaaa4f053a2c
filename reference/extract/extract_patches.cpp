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
    const SpotRange range = spot_range(&patch, &patch + 1);
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

void extract_bundle(const ExtractInputs& inputs, const PatchRun& run, BundlePixels* own,
                    int threads, StageTimes& times, const Receiver& receiver) {
  const auto [begin, end, results] = run;
  const bool whole = own != nullptr || inputs.options.flux == FluxSolver::frame;
  const SpotRange range = whole ? bundle_range(inputs, *begin) : spot_range(begin, end);
  Spots spots;
  {
    const StageTimer timer(times, Stage::spots);
    spots = evaluate_range(inputs, range, threads);
  }
  const BundleSolution solution = solve_bundle(inputs, begin->bundle, spots, own, threads, times);
  const PatchInputs of_patch{own != nullptr ? own->pixels() : *inputs.pixels, inputs.options,
                             inputs.psferr(), solution.flux_or_null(), &solution.rejected};
  const int count = static_cast<int>(end - begin);
  std::vector<StageTimes> of_threads(threads_used(threads, count));
  parallel_for(threads, count, [&](int thread, int index) {
    results[index] = extract_patch(begin[index], patch_spots(begin[index], spots, range), of_patch,
                                   of_threads[thread]);
    receiver.receive(begin[index], results[index], of_threads[thread]);
  });
  times.add(sum(of_threads));
  if (own != nullptr) own->restore(solution.rejected.places);
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
