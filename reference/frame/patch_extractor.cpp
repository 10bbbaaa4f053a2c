#include "reference/frame/patch_extractor.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/extract_patches.hpp"
#include "reference/frame/assemble_frame.hpp"

namespace spex {
namespace {

// Frees the spectra of a result, which the frame now has. Assigning {} would keep their memory.
void drop_spectra(PatchResult& result) {
  for (auto* values : {&result.flux, &result.ivar, &result.f, &result.chi2pix,
                       &result.pixmask_fraction, &result.resolution})
    *values = std::vector<double>();
  result.pulled = std::vector<std::uint8_t>();
}

// Each patch is placed as soon as it is extracted, so that its memory is free for the next.
Extracted extract_frame(const ExtractInputs& inputs, const std::vector<Patch>& patches, int threads,
                        StageTimes& times, const std::function<void(long)>& done) {
  Frame frame;
  {
    const StageTimer timer(times, Stage::gather);
    frame = empty_frame(inputs);
  }
  Extracted extracted = extract_patches(inputs, patches, threads, times, done,
                                        [&](const Patch& patch, PatchResult& result) {
                                          place_patch(patch, result, frame);
                                          drop_spectra(result);
                                        });
  extracted.frame = std::move(frame);
  return extracted;
}

}  // namespace

PatchExtractor cpu_extractor(int threads) {
  return [threads](const ExtractInputs& inputs, const std::vector<Patch>& patches,
                   StageTimes& times, const std::function<void(long)>& done) -> Extracted {
    if (inputs.wanted == SpectraOf::patches)
      return extract_patches(inputs, patches, threads, times, done);
    return extract_frame(inputs, patches, threads, times, done);
  };
}

}  // namespace spex
