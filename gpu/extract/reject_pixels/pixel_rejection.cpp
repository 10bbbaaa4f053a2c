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
  Job job{.batch = batch, .bands = bands, .bundles = bundles_of(batch)};
  for (const Work& one : job.bundles) rejected_[one.bundle] = {};
  events.time(Stage::assemble, [&] {
    prepare(job);
    begin_beside(job, layout);
    reserve(scales_, count_of(batch.count));
    find_scales(wide_view(job), bands, scales_.get(), context_->stream());
  });
  bool more = std::ranges::any_of(job.bundles, &Work::active);
  for (bool first = true; more; first = false) {
    send_active(job, memory);
    events.time(Stage::solve, [&] { solve(job, first); });
    std::vector<FoundPixel> found;
    events.time(Stage::quality, [&] { found = test(job, first); });
    events.time(Stage::assemble, [&] { more = reject(job, found); });
  }
  far_found_.hold(context_->stream());
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
