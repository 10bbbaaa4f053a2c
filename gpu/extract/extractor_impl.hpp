// What an Extractor does for a frame: its engines, and the state of the frame at work. The engines'
// patches are extracted in extract_patches.cpp, the others in settle_patches.cpp.
#pragma once

#include <functional>
#include <future>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "gpu/extract/band/engine_band.hpp"
#include "gpu/extract/eigh/engine_eigh.hpp"
#include "gpu/extract/extract_patches.hpp"
#include "gpu/extract/fibers/engine_fibers.hpp"
#include "gpu/extract/guarded_patches.hpp"
#include "gpu/extract/reject_pixels/pixel_rejection.hpp"
#include "reference/extract/extract_inputs.hpp"

namespace spex::gpu {

/// No limit of condition numbers: no patch is left to the band engine.
inline constexpr double unbounded = std::numeric_limits<double>::infinity();

class Extractor::Impl {
 public:
  explicit Impl(const ExtractorSettings& settings);

  Extracted extract_patches(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                            StageTimes& times, const std::function<void(long)>& done);

 private:
  // Whether something is found for a whole bundle before its patches.
  static bool by_bundles(const ExtractInputs& inputs) {
    return inputs.options.flux == FluxSolver::frame || inputs.options.reject_pixels.has_value();
  }

  // Whether the output is a frame, not patches.
  static bool wants_frame(const ExtractInputs& inputs) {
    return inputs.wanted != SpectraOf::patches && !inputs.options.model;
  }
  // Makes the frame to fill, if it is wanted, on a thread of its own: clearing 100 MB takes
  // milliseconds. The frame on the device must be loaded.
  std::future<Frame> begin_output(const ExtractInputs& inputs);

  Extracted extract_all(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                        StageTimes& times, const std::function<void(long)>& done);

  // Solves by the reference a patch of the frame's flux that no engine could solve.
  PatchResult extract_on_host(const ExtractInputs& inputs, const Patch& patch,
                              const FrameFlux& flux);

  // The rejection of this frame's pixels; nullptr if none are rejected.
  PixelRejection* rejection() { return rejects_ ? &*rejection_ : nullptr; }

  void begin_rejection(const ExtractInputs& inputs, const std::vector<Patch>& patches);

  void put_rejected(const Patch& patch, const PatchGeometry& geometry, PatchResult& result);

  // Runs `work` on some patches without the weights of their bundles' rejected pixels.
  template <class Work>
  void without_rejected(const std::vector<Patch>& patches, const std::vector<int>& index,
                        const Work& work);

  // Whether the bundle that begins at `next` may be in the batch of patches from `first` on.
  bool may_join(const std::vector<Patch>& patches, int first, int next);

  SpotsView spots_of(int first, int last);

  void extract_eigh(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                    const EighRoutines& routines, double condition_bound,
                    const std::function<void(long)>& done,
                    std::vector<std::vector<double>>* models);

  template <class DirectEngine>
  void extract_direct(DirectEngine& engine, const ExtractInputs& inputs,
                      const std::vector<Patch>& patches, bool band_can,
                      const std::function<void(long)>& done,
                      std::vector<std::vector<double>>* models);

  GuardedPatches::Job guarded_job(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                                  std::vector<std::vector<double>>* models);

  // Reads the status of all patches. Solves refused patches again as bands, and then failed patches
  // one by one by eigh; with the frame's flux they stay failed instead.
  std::vector<PatchStatus> settle(const ExtractInputs& inputs, const std::vector<Patch>& patches,
                                  bool band_can, std::vector<std::vector<double>>* models);

  // The flux with f, which few bundles need on the host.
  const FrameFlux& flux_of(int bundle, cudaStream_t stream);

  // Most of a frame's time is spent waiting here, after the kernels have been launched.
  std::vector<int> read_status(std::size_t count);

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
  std::shared_ptr<Tokens> turns_;         // may be null
  std::optional<SpotsView> spots_ahead_;  // of all patches
  bool rejects_ = false;                  // pixels of this frame
  std::optional<PixelRejection> rejection_;
};

}  // namespace spex::gpu
