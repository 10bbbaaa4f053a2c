#include "gpu/extract/frame_flux/frame_system_memory.hpp"

#include <algorithm>
#include <utility>

#include "gpu/core/copy.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {

FrameSystem FrameSystemMemory::make(const FrameBands& bands, int m, int nbundles,
                                    std::vector<BundleOfFiber> place, cudaStream_t stream) {
  FrameSystem system;
  system.bands = bands;
  system.m = m;
  system.nbundles = nbundles;
  const auto bins = count_of(bands.nspec, bands.nwave);
  reserve(bins_, 2 * bins);
  reserve(factor_, bands.nspec * frame_factor_numbers(bands.reach, m));
  reserve(sides_, bands.nspec * frame_side_numbers(bands.reach, m));
  place_ = std::move(place);
  colored_ = color_fibers(place_);
  reserve(device_place_, place_.size());
  reserve(device_colored_, place_.size());
  reserve(moved_, count_of(max_frame_sweeps, std::max(nbundles, 1)));
  reserve(refused_, count_of(std::max(nbundles, 1)));
  if (poison_)
    for (const DeviceBuffer<double>* buffer : {&bins_, &factor_, &sides_})
      fill_with_nan(*buffer, stream);
  copy_to(place_, device_place_.get(), stream);
  copy_to(colored_.fibers, device_colored_.get(), stream);
  system.place = device_place_.get();
  system.colored = device_colored_.get();
  system.prior = bins_.get();
  system.f = system.prior + bins;
  system.factor = factor_.get();
  system.sides = sides_.get();
  system.moved = moved_.get();
  system.refused = refused_.get();
  return system;
}

}  // namespace spex::gpu
