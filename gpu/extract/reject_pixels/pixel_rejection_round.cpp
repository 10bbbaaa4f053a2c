// A round of PixelRejection: solves the bundles that are left, and tests their pixels.
#include <algorithm>
#include <utility>

#include "gpu/core/copy.hpp"
#include "gpu/extract/reject_pixels/pixel_rejection.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/fiber_cholesky.hpp"
#include "reference/extract/frame_flux.hpp"

namespace spex::gpu {
namespace {

constexpr int least_capacity = 1 << 16;  // of the pixels that a test finds

}  // namespace

ExtractInputs PixelRejection::wide_inputs() const {
  ExtractInputs wide = *inputs_;
  wide.options.wavepad += reject_bounds::more_wavepad;
  return wide;
}

std::vector<PixelRejection::Work> PixelRejection::bundles_of(const PatchBatch& batch) const {
  std::vector<Work> bundles;
  const int size = inputs_->options.bundlesize;
  for (int k = 0; k < batch.count; ++k) {
    const PatchGeometry& patch = batch.patch(k);
    const int bundle = (frame_->fiber() + patch.spec0 + patch.pad_below) / size;
    if (!bundles.empty() && bundles.back().bundle == bundle) continue;
    const BundleFibers fibers = fibers_of_bundle(*inputs_, bundle);
    const int first = frame_->fiber() + batch.spots.first_spec;
    Work one{bundle, {fibers.begin - first, fibers.end - first, static_cast<int>(bundles.size())}};
    one.by_reference = light_shared_beyond(*inputs_, bundle) > fiber_bounds::far;
    one.active = !one.by_reference;
    bundles.push_back(one);
  }
  return bundles;
}

std::vector<BundleOfFiber> PixelRejection::places_of(const Job& job) {
  std::vector<BundleOfFiber> places(count_of(job.bands.nspec));
  for (const Work& one : job.bundles)
    for (int s = one.fibers.begin; one.active && s < one.fibers.end; ++s) places[s] = one.fibers;
  return places;
}

void PixelRejection::prepare(Job& job) {
  const cudaStream_t stream = context_->stream();
  const PixelsView pixels = frame_->pixels();
  const std::size_t tiles = count_of(job.bands.nspec, frame_tiles(job.bands.nwave));
  const std::size_t count = job.bundles.size();
  reserve(wanted_, tiles);
  reserve(marks_, count_of(pixels.nx, pixels.ny));
  reserve(bundles_, count);
  reserve(active_, count);
  reserve(columns_, count);
  reserve(lit_, count_of(static_cast<int>(count), frame_->rows().ny_ccd));
  reserve(found_count_, 1);
  clear(wanted_, tiles, stream);
  clear(marks_, count_of(pixels.nx, pixels.ny), stream);
  const int m = extended_grid(wide_inputs().options, inputs_->grid).nwave;
  reserve(model_, count_of(pixels.nx, pixels.ny));
  reserve(inverse_, job.bands.nspec * inverse_numbers(job.bands.reach, m));
  if (poison_) {
    fill_with_nan(inverse_, stream);
    fill_with_nan(model_, stream);
  }
  job.tested = {.system = {},
                .bundles = active_.get(),
                .columns = columns_.get(),
                .lit = lit_.get(),
                .inverse = inverse_.get(),
                .marks = marks_.get(),
                .rows = frame_->rows(),
                .tested_rows = frame_->tested_rows(),
                .model = model_.get(),
                .threshold = inputs_->options.reject_pixels.value(),
                .psferr = inputs_->psferr()};
}

void PixelRejection::begin_beside(Job& job, const FiberLayout& layout) {
  const cudaStream_t stream = beside_.stream();
  assembled_.record(context_->stream());
  for (const Work& one : job.bundles) job.fibers.push_back(one.fibers);
  copy_to(job.fibers, bundles_.get(), stream);
  job.no_columns.resize(job.bundles.size());
  copy_to(job.no_columns, columns_.get(), stream);
  TestedBundles every = job.tested;
  every.bundles = bundles_.get();
  find_columns(every, static_cast<int>(job.bundles.size()), job.batch.spots, frame_->pixels().nx,
               stream);
  assembled_.hold(stream);
  find_far_light(job.batch.spots, frame_->pixels(), frame_->spectra().first_bin, layout.nslots,
                 job.bands, stream);
  far_found_.record(stream);
}

void PixelRejection::send_active(Job& job, FrameSystemMemory& memory) {
  const cudaStream_t stream = context_->stream();
  const std::vector<BundleOfFiber> places = places_of(job);
  const int nbundles = static_cast<int>(job.bundles.size());
  job.progress.emplace(places, nbundles);
  job.system = memory.make(job.bands, extended_grid(wide_inputs().options, inputs_->grid).nwave,
                           nbundles, places, stream);
  job.system.of_test = true;
  job.active.clear();
  for (const Work& one : job.bundles)
    job.active.push_back(one.active ? one.fibers : BundleOfFiber{});
  copy_to(job.active, active_.get(), stream);
  job.tested.system = job.system;
}

BatchView PixelRejection::wide_view(const Job& job) const {
  BatchView view = job.batch.view();
  view.patches = frame_->device_wide_geometry() + job.batch.index.front();
  return view;
}

void PixelRejection::solve(Job& job, bool first) {
  const cudaStream_t stream = context_->stream();
  const FrameSystem& system = job.system;
  find_frame_prior(wide_view(job),
                   {inputs_->grid.nwave, scales_.get(), inputs_->options.regularize}, system,
                   stream);
  const bool fits = frame_fits(system.bands.reach, system.m);
  if (fits) {
    begin_frame(system, stream);
    factor_frame(system, stream);
    factored_.record(stream);
    factored_.hold(beside_.stream());
    if (first) {
      far_found_.hold(stream);
      refuse_far_light(job.batch.spots, frame_->pixels(), system, stream);
    }
    far_refused_.record(stream);
    // For `test`. The sweeps, on a stream of higher priority, leave some of the GPU idle.
    invert_fibers(system, inverse_.get(), stream);
  }
  SweepProgress& progress = *job.progress;
  // Arms whose fibers share little light need two sweeps, others three.
  for (int begin = 0; fits && !progress.ended() && begin < max_frame_sweeps;) {
    const int end = begin == 0 ? 2 : begin + 1;
    sweep_frame(system, begin, end, progress.left(), beside_.stream());
    far_refused_.hold(beside_.stream());
    progress.read(system, end, beside_.stream());
    begin = end;
  }
  for (std::size_t k = 0; k < job.bundles.size(); ++k) {
    Work& one = job.bundles[k];
    if (!one.active || progress.settled(k)) continue;
    one.active = false;
    one.by_reference = true;
  }
}

std::vector<FoundPixel> PixelRejection::test(Job& job, bool first) {
  const cudaStream_t stream = context_->stream();
  job.tested.marked = !first;
  std::vector<FoundPixel> found;
  for (int count = std::max(least_capacity, static_cast<int>(found_.count()));;) {
    reserve(found_, count_of(count));
    clear(found_count_, 1, stream);
    find_pixels(job.tested, job.batch.spots, frame_->pixels(),
                {found_.get(), count, found_count_.get()}, stream);
    const int all = to_host<int>(found_count_.get(), 1, stream)[0];
    if (all <= count) {
      found = to_host<FoundPixel>(found_.get(), count_of(all), stream);
      break;
    }
    count = all;
  }
  std::ranges::sort(found, {},
                    [](const FoundPixel& pixel) { return std::pair(pixel.bundle, pixel.place); });
  return found;
}

}  // namespace spex::gpu
