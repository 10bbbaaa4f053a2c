// Rejects the pixels of a frame that the model cannot explain, on the GPU (extraction.md, section
// 5.3); the counterpart of reference/extract/reject_pixels.hpp.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/extract/batch/patch_batch.hpp"
#include "gpu/extract/batch/stage_events.hpp"
#include "gpu/extract/frame_flux/frame_system_memory.hpp"
#include "gpu/extract/frame_flux/sweep_progress.hpp"
#include "gpu/extract/normal_equations/fiber_bands.hpp"
#include "gpu/extract/reject_pixels/take_pixels.hpp"
#include "gpu/extract/reject_pixels/touching_bundles.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/reject_pixels.hpp"

namespace spex::gpu {

/// The rejected pixels of a frame's bundles, and device memory to find them, which is allocated
/// once and grows on demand.
class PixelRejection {
 public:
  /// Rejects with `host_threads` threads what the GPU cannot.
  PixelRejection(const Context& context, bool poison, int host_threads)
      : context_(&context), poison_(poison), host_threads_(host_threads) {}

  /// Begins a frame that was loaded for `patches`. `inputs`, except its options, and `frame` must
  /// outlive the work on it. Waits for the GPU.
  void begin(const ExtractInputs& inputs, const FrameOnDevice& frame,
             const std::vector<Patch>& patches);

  /// Whether spots of two bundles reach no pixel together: each bundle has its own rejected pixels,
  /// so that others must not lie in the same batch.
  [[nodiscard]] bool apart(int bundle, int other) const { return touching_.apart(bundle, other); }
  /// Whether no two bundles of the patches share a pixel.
  [[nodiscard]] bool all_apart() const { return touching_.all_apart(); }

  /// Finds the rejected pixels of a batch that holds all patches of its bundles, takes their
  /// weights in the frame, and assembles the bins again that have lost a pixel. `bands` are
  /// assembled, and get `far` of their weights before. The reference rejects pixels of a bundle
  /// that sweeps cannot solve (section 5.2). Returns whether any pixel was rejected.
  bool find(const PatchBatch& batch, const FiberLayout& layout, const FrameBands& bands,
            FrameSystemMemory& memory, StageEvents& events);

  /// Takes the weights of the rejected pixels of these bundles, which were found before.
  void take(const std::vector<int>& bundles);
  /// Gives back all weights that were taken.
  void give_back();

  /// The rejected pixels of a bundle; none if it was not in a batch.
  [[nodiscard]] const RejectedPixels& of(int bundle) const;
  /// The frame's pixels without the weights of a bundle's rejected pixels; valid until the next
  /// call.
  [[nodiscard]] const Pixels& pixels_of(int bundle);

 private:
  // A bundle of the batch. Its place among them is its index on the device.
  struct Work {
    int bundle = 0;
    BundleOfFiber fibers;  // of the batch
    bool active = true;    // may have more pixels to reject
    bool by_reference = false;
  };
  // The batch at work.
  struct Job {
    const PatchBatch& batch;
    const FrameBands& bands;
    FrameSystem system{};
    TestedBundles tested{};
    std::vector<Work> bundles;
    std::optional<SweepProgress> progress{};
    // On the host while they are copied.
    std::vector<BundleOfFiber> fibers{}, active{};
    std::vector<TestedBundles::Columns> no_columns{};
  };

  [[nodiscard]] std::vector<Work> bundles_of(const PatchBatch& batch) const;
  // Fibers of active bundles, by fiber of the batch.
  [[nodiscard]] static std::vector<BundleOfFiber> places_of(const Job& job);
  [[nodiscard]] ExtractInputs wide_inputs() const;
  // Memory of the job; what does not change in it.
  void prepare(Job& job);
  // Concurrently with the sums: finds the columns that the bundles reach, and which bins share
  // light with fibers two or more away.
  void begin_beside(Job& job, const FiberLayout& layout);
  // Makes the system of the active bundles.
  void send_active(Job& job, FrameSystemMemory& memory);
  // The batch's patches with more padding.
  [[nodiscard]] BatchView wide_view(const Job& job) const;
  // Solves the active bundles; those that sweeps cannot solve become the reference's. Finds N_ss^-1
  // of their fibers. The `first` time, refuses bundles by their far light.
  void solve(Job& job, bool first);
  // Pixels of active bundles above the threshold, ascending by bundle and place. Before the `first`
  // test no pixel has been rejected.
  [[nodiscard]] std::vector<FoundPixel> test(Job& job, bool first);
  // Rejects what was found, and decides which bundles stay active. Whether any does.
  bool reject(Job& job, const std::vector<FoundPixel>& found);
  void reject_by_reference(Job& job);
  // Takes (or gives back) weights of pixels of a bundle of the job; its tiles are assembled again
  // by assemble_again.
  void change_weights(Job& job, const std::vector<PixelWeight>& pixels);
  void assemble_again(const Job& job);
  // Copies to device memory, which is valid until the next call.
  const PixelWeight* send(const std::vector<PixelWeight>& pixels);
  [[nodiscard]] double weight_of(std::uint32_t place) const {
    return inputs_->pixels->weight[place];
  }

  const Context* context_;
  bool poison_;
  int host_threads_;
  Context beside_{Priority::high};
  Event assembled_, factored_, far_found_, far_refused_;
  std::optional<ExtractInputs> inputs_;
  const FrameOnDevice* frame_ = nullptr;
  std::map<int, RejectedPixels> rejected_;  // by bundle
  TouchingBundles touching_;
  std::vector<PixelWeight> taken_;           // with the weights of the frame
  std::optional<BundlePixels> own_;          // on the host
  std::vector<std::uint32_t> own_rejected_;  // in own_
  DeviceBuffer<double> scales_, inverse_, model_;
  DeviceBuffer<std::uint16_t> marks_;
  DeviceBuffer<unsigned char> wanted_;
  DeviceBuffer<BundleOfFiber> bundles_, active_;
  DeviceBuffer<TestedBundles::Columns> columns_, lit_;
  DeviceBuffer<FoundPixel> found_;
  DeviceBuffer<int> found_count_;
  DeviceBuffer<PixelWeight> sent_;
};

}  // namespace spex::gpu
