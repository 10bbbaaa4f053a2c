#include "gpu/extract/reject_pixels/pixel_rejection.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <spdlog/spdlog.h>

#include "gpu/core/copy.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/fiber_cholesky.hpp"
#include "reference/extract/frame_flux.hpp"
#include "reference/psf/spots.hpp"

namespace spex::gpu {
namespace {

constexpr int least_capacity = 1 << 16;  // of the pixels that a test finds

template <class T>
void copy_to(const std::vector<T>& from, T* to, cudaStream_t stream) {
  SPEX_GPU_CHECK(
      cudaMemcpyAsync(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream));
}

template <class T>
void clear(const DeviceBuffer<T>& buffer, std::size_t count, cudaStream_t stream) {
  SPEX_GPU_CHECK(cudaMemsetAsync(buffer.get(), 0, count * sizeof(T), stream));
}

}  // namespace

void PixelRejection::begin(const ExtractInputs& inputs, const FrameOnDevice& frame,
                           const std::vector<Patch>& patches) {
  inputs_ = inputs;
  frame_ = &frame;
  rejected_.clear();
  taken_.clear();
  own_.reset();
  own_rejected_.clear();
  std::vector<int> bundles;
  std::vector<BundleOfFiber> fibers;
  for (const Patch& patch : patches) {
    if (!bundles.empty() && bundles.back() == patch.bundle) continue;
    const BundleFibers of = fibers_of_bundle(inputs, patch.bundle);
    fibers.push_back(
        {of.begin - frame.fiber(), of.end - frame.fiber(), static_cast<int>(bundles.size())});
    bundles.push_back(patch.bundle);
  }
  // The frame's rows are ready; its stream may have other work.
  touching_.find(bundles, fibers, frame.rows(), beside_.stream());
}

const RejectedPixels& PixelRejection::of(int bundle) const {
  static const RejectedPixels none;
  const auto found = rejected_.find(bundle);
  return found != rejected_.end() ? found->second : none;
}

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

void PixelRejection::send_active(Job& job, FrameSystemMemory& memory) {
  const cudaStream_t stream = context_->stream();
  job.system = memory.make(job.bands, extended_grid(wide_inputs().options, inputs_->grid).nwave,
                           static_cast<int>(job.bundles.size()), places_of(job), stream);
  job.system.foreseen = frame_bounds::foreseen_of_test;
  std::vector<BundleOfFiber> fibers;
  for (const Work& one : job.bundles) fibers.push_back(one.active ? one.fibers : BundleOfFiber{});
  copy_to(fibers, active_.get(), stream);
  context_->synchronize();
  job.tested.system = job.system;
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
  reserve(found_count_, 1);
  clear(wanted_, tiles, stream);
  clear(marks_, count_of(pixels.nx, pixels.ny), stream);
  std::vector<BundleOfFiber> fibers;
  for (const Work& one : job.bundles) fibers.push_back(one.fibers);
  copy_to(fibers, bundles_.get(), stream);
  const std::vector<TestedBundles::Columns> none(count);
  copy_to(none, columns_.get(), stream);
  const int m = extended_grid(wide_inputs().options, inputs_->grid).nwave;
  reserve(model_, count_of(pixels.nx, pixels.ny));
  reserve(inverse_, job.bands.nspec * inverse_numbers(job.bands.reach, m));
  if (poison_) {
    fill_with_nan(inverse_, stream);
    fill_with_nan(model_, stream);
  }
  context_->synchronize();
  job.tested = {.system = {},
                .bundles = active_.get(),
                .columns = columns_.get(),
                .inverse = inverse_.get(),
                .marks = marks_.get(),
                .rows = frame_->rows(),
                .tested_rows = frame_->tested_rows(),
                .model = model_.get(),
                .threshold = inputs_->options.reject_pixels.value(),
                .psferr = inputs_->psferr()};
}

BinStrides PixelRejection::wide_strides(const FiberLayout& layout) const {
  const int nwave = layout.nwave + 2 * frame_->more();
  return {layout.nslots * nwave, nwave, 1};
}

BatchView PixelRejection::wide_view(const Job& job, const FiberLayout& layout) const {
  BatchView view = job.batch.view();
  view.patches = frame_->device_wide_geometry() + job.batch.index.front();
  view.n = wide_strides(layout).of_patch;
  return view;
}

void PixelRejection::find_wide_sums(const Job& job, const FiberLayout& layout) {
  const BatchView wide = wide_view(job, layout);
  const BinStrides strides = wide_strides(layout);
  const std::size_t vector = count_of(wide.count, strides.of_patch);
  reserve(wide_sums_, 3 * vector);
  if (poison_) fill_with_nan(wide_sums_, context_->stream());
  double* const y = wide_sums_.get();
  take_bins(wide, job.bands, {strides, y, y + vector, y + 2 * vector}, context_->stream());
}

void PixelRejection::solve(Job& job, const FiberLayout& layout, bool first) {
  // Most bundles have converged after this number of sweeps.
  constexpr int at_once = 2;
  static_assert(max_frame_sweeps % at_once == 0);
  const cudaStream_t stream = context_->stream();
  const FrameSystem& system = job.system;
  const BinStrides strides = wide_strides(layout);
  const double* const q = wide_sums_.get() + count_of(job.batch.count, strides.of_patch);
  find_frame_prior(wide_view(job, layout), inputs_->grid.nwave,
                   {strides, q, inputs_->options.regularize}, system, stream);
  const bool fits = frame_fits(system.bands.reach, system.m);
  if (fits) {
    begin_frame(system, stream);
    factor_frame(system, stream);
    work_beside(job, first);
  }
  const std::size_t count = job.bundles.size();
  std::vector<bool> settled(count, false);
  bool all = false;
  for (int end = at_once; fits && !all && end <= max_frame_sweeps; end += at_once) {
    sweep_frame(system, end - at_once, end, stream);
    far_found_.hold(stream);
    const auto refused = to_host<int>(system.refused, count, stream);
    const auto moved = to_host<double>(system.moved + (end - 2) * count, 2 * count, stream);
    all = true;
    for (std::size_t k = 0; k < count; ++k) {
      settled[k] =
          refused[k] == 0 && frame_bounds::ended(moved[k], moved[count + k], system.foreseen);
      all = all && (settled[k] || refused[k] != 0 || !job.bundles[k].active);
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    Work& one = job.bundles[k];
    if (!one.active || settled[k]) continue;
    one.active = false;
    one.by_reference = true;
  }
}

void PixelRejection::work_beside(const Job& job, bool first) {
  factored_.record(context_->stream());
  factored_.hold(beside_.stream());
  if (first) refuse_far_light(job.batch.spots, frame_->pixels(), job.system, beside_.stream());
  far_found_.record(beside_.stream());
  invert_fibers(job.system, inverse_.get(), beside_.stream());
  inverted_.record(beside_.stream());
}

std::vector<FoundPixel> PixelRejection::test(Job& job) {
  const cudaStream_t stream = context_->stream();
  inverted_.hold(stream);
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

bool PixelRejection::reject(Job& job, const std::vector<FoundPixel>& found) {
  std::vector<PixelWeight> pixels;
  for (std::size_t k = 0; k < job.bundles.size(); ++k) {
    Work& one = job.bundles[k];
    RejectedPixels& rejected = rejected_[one.bundle];
    std::vector<std::uint32_t> places;
    for (const FoundPixel& pixel : found) {
      if (pixel.bundle != k || !one.active) continue;
      places.push_back(pixel.place);
      pixels.push_back({pixel.place, pixel.bundle, 0});
    }
    std::vector<std::uint32_t> merged;
    std::ranges::set_union(rejected.places, places, std::back_inserter(merged));
    rejected.places = std::move(merged);
    rejected.rounds += places.empty() ? 0 : 1;
    one.active = one.active && !places.empty() && rejected.rounds < reject_bounds::max_rounds;
  }
  if (pixels.empty()) return false;
  change_weights(job, pixels);
  mark_pixels(sent_.get(), static_cast<int>(pixels.size()), marks_.get(), context_->stream());
  assemble_again(job);
  return std::ranges::any_of(job.bundles, &Work::active);
}

void PixelRejection::reject_by_reference(Job& job) {
  std::vector<PixelWeight> pixels;
  for (std::size_t k = 0; k < job.bundles.size(); ++k) {
    const Work& one = job.bundles[k];
    if (!one.by_reference) continue;
    spdlog::debug("bundle {}: pixels are rejected on the host", one.bundle);
    const auto index = static_cast<std::uint32_t>(k);
    RejectedPixels& rejected = rejected_[one.bundle];
    // What earlier rounds took.
    for (const std::uint32_t place : rejected.places)
      pixels.push_back({place, index, weight_of(place)});
    const BundleFibers fibers = fibers_of_bundle(*inputs_, one.bundle);
    const int first = frame_->spectra().first_bin;
    const Spots spots =
        spex::evaluate_spots(*inputs_->psf, fibers.begin, fibers.end - fibers.begin,
                             inputs_->grid.range(first, job.bands.nwave), host_threads_);
    StageTimes times;  // host times; the stages record GPU times
    static_cast<void>(pixels_of(one.bundle));
    own_->restore(own_rejected_);
    rejected = spex::reject_pixels(*inputs_, one.bundle, spots, *own_, host_threads_, times);
    own_rejected_ = rejected.places;
  }
  change_weights(job, pixels);
  pixels.clear();
  for (std::size_t k = 0; k < job.bundles.size(); ++k)
    if (job.bundles[k].by_reference)
      for (const std::uint32_t place : rejected_[job.bundles[k].bundle].places)
        pixels.push_back({place, static_cast<std::uint32_t>(k), 0});
  change_weights(job, pixels);
  assemble_again(job);
}

void PixelRejection::change_weights(Job& job, const std::vector<PixelWeight>& pixels) {
  const int count = static_cast<int>(pixels.size());
  const PixelWeight* const sent = send(pixels);
  set_weights(sent, count, frame_->weights(), context_->stream());
  mark_tiles(job.batch.view(), sent, count, bundles_.get(), wanted_.get(), context_->stream());
}

void PixelRejection::assemble_again(const Job& job) {
  const cudaStream_t stream = context_->stream();
  assemble_frame(job.batch.spots, frame_->pixels(), frame_->spectra().first_bin, job.bands, stream,
                 wanted_.get());
  clear(wanted_, count_of(job.bands.nspec, frame_tiles(job.bands.nwave)), stream);
}

const PixelWeight* PixelRejection::send(const std::vector<PixelWeight>& pixels) {
  if (pixels.empty()) return nullptr;
  context_->synchronize();
  reserve(sent_, pixels.size());
  copy_to(pixels, sent_.get(), context_->stream());
  context_->synchronize();
  return sent_.get();
}

bool PixelRejection::find(const PatchBatch& batch, const FiberLayout& layout,
                          const FrameBands& bands, FrameSystemMemory& memory, StageEvents& events) {
  const cudaStream_t stream = context_->stream();
  const PixelsView pixels = frame_->pixels();
  Job job{batch, bands, {}, {}, bundles_of(batch)};
  for (const Work& one : job.bundles) rejected_[one.bundle] = {};
  events.time(Stage::assemble, [&] {
    prepare(job);
    find_wide_sums(job, layout);
  });
  bool more = std::ranges::any_of(job.bundles, &Work::active);
  for (bool first = true; more; first = false) {
    send_active(job, memory);
    if (first) find_columns(job.tested, batch.spots, pixels.nx, stream);
    events.time(Stage::solve, [&] { solve(job, layout, first); });
    std::vector<FoundPixel> found;
    events.time(Stage::quality, [&] { found = test(job); });
    events.time(Stage::assemble, [&] { more = reject(job, found); });
  }
  if (std::ranges::any_of(job.bundles, &Work::by_reference))
    events.time(Stage::assemble, [&] { reject_by_reference(job); });
  for (const Work& one : job.bundles)
    for (const std::uint32_t place : of(one.bundle).places)
      taken_.push_back({place, 0, weight_of(place)});
  context_->synchronize();
  return !taken_.empty();
}

void PixelRejection::take(const std::vector<int>& bundles) {
  std::vector<PixelWeight> pixels;
  for (const int bundle : bundles)
    for (const std::uint32_t place : of(bundle).places) {
      pixels.push_back({place, 0, 0});
      taken_.push_back({place, 0, weight_of(place)});
    }
  set_weights(send(pixels), static_cast<int>(pixels.size()), frame_->weights(), context_->stream());
}

void PixelRejection::give_back() {
  set_weights(send(taken_), static_cast<int>(taken_.size()), frame_->weights(), context_->stream());
  taken_.clear();
}

const Pixels& PixelRejection::pixels_of(int bundle) {
  if (!own_) own_.emplace(*inputs_->pixels);
  own_->restore(own_rejected_);
  own_rejected_ = of(bundle).places;
  own_->reject(own_rejected_);
  return own_->pixels();
}

}  // namespace spex::gpu
