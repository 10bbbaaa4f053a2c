// A frame in device memory: PSF, pixels, corners of the spots, patches, and memory for the spectra.
#pragma once

#include <functional>
#include <vector>

#include "gpu/core/context.hpp"
#include "gpu/extract/batch/frame_download.hpp"
#include "gpu/extract/batch/quality.hpp"
#include "reference/extract/extract_patches.hpp"
#include "reference/model/extracted.hpp"
#include "reference/model/preproc.hpp"

namespace spex::gpu {

/// A selection of a frame's patches, not necessarily consecutive.
struct PatchSelection {
  std::vector<int> index;                  ///< indices of the frame's patches
  const PatchGeometry* patches = nullptr;  ///< the selected patches, in device memory
  int* status = nullptr;                   ///< initially 0, in device memory
  SpotsView spots;
};

/// The input of all engines. Fibers are relative to `fiber`, bins to `bins.first`.
class FrameOnDevice {
 public:
  /// `pin` pins the host's memory (HostTransfers).
  explicit FrameOnDevice(const Context& context, bool poison,
                         std::function<bool(const void*)> pin = {});

  /// Uploads a frame and lays out `patches`, which must not be empty. Waits for the GPU once.
  /// Throws Error(data) if the PSF is invalid at a requested wavelength. To reject pixels, the bins
  /// begin and end `more` before and after those of the patches.
  void load(const ExtractInputs& inputs, const std::vector<Patch>& patches);

  /// Computes the spots of the patches [first, last) and their rims in this frame's buffers. The
  /// view is valid until the next call, or until a frame is loaded or downloaded.
  SpotsView evaluate_spots(int first, int last);

  /// Copies selected patches (ascending indices) together and computes the spots of their fibers,
  /// on any stream. The selection is valid until patches are selected again.
  PatchSelection select(const std::vector<int>& index, cudaStream_t stream);

  /// Waits for the context's stream and copies the spectra of all patches to the host.
  [[nodiscard]] std::vector<PatchResult> download();

  /// A frame of zeros for download_frame(), made while the GPU works.
  [[nodiscard]] Frame frame_to_fill(const ExtractInputs& inputs, SpectraOf wanted);

  /// The same as a whole frame without MASK (flux and ivar per Angstrom, extraction.md, section 7),
  /// with R in the requested form, into `to.frame`, a frame_to_fill(), and `to.resolution`. The
  /// patches must be all patches of a frame. Waits for the context's stream.
  void download_frame(SpectraOf wanted, Extracted& to);

  /// The PSF fiber that is fiber 0 here.
  [[nodiscard]] int fiber() const { return fiber_; }
  [[nodiscard]] const std::vector<PatchGeometry>& geometry() const { return geometry_; }
  [[nodiscard]] const PatchGeometry* device_geometry() const { return device_geometry_.get(); }
  /// The largest distance, in bins, of wavelengths with overlapping spots, and the maximal number
  /// of padded fibers of a patch. Both cover all patches of the whole frame, not only loaded
  /// patches, so that results do not depend on the rank.
  [[nodiscard]] int reach() const { return reach_; }
  [[nodiscard]] int max_fibers() const { return max_fibers_; }
  [[nodiscard]] PixelsView pixels() const;
  /// W of all pixels, which a batch may lose, in device memory.
  [[nodiscard]] double* weights() const { return weight_.get(); }
  /// Bins on either side of those of the patches, for the rejection of pixels (extraction.md,
  /// section 5.3); 0 without it.
  [[nodiscard]] int more() const { return more_; }
  /// The patches with `more` bins more of padding, in device memory; only if `more` is not 0.
  [[nodiscard]] const PatchGeometry* device_wide_geometry() const { return wide_geometry_.get(); }
  [[nodiscard]] RowBinsView rows() const { return {ny_, rows_.get()}; }
  /// Rows of the bins whose pixels are tested for rejection; only if `more` is not 0.
  [[nodiscard]] RowBinsView tested_rows() const { return {ny_, tested_rows_.get()}; }
  [[nodiscard]] const SpectraView& spectra() const { return spectra_; }
  [[nodiscard]] int* status() const { return status_.get(); }
  /// Pixels of a spot.
  [[nodiscard]] int spot_size() const { return psf_.view.nx() * psf_.view.ny(); }

 private:
  void upload_pixels(const Pixels& pixels);
  /// Uploads floats to `room` on the device, and doubles to `to`, which must be large enough for
  /// either.
  void upload_reals(const Reals& from, float* room, DeviceBuffer<double>& to);
  /// What downloads take.
  [[nodiscard]] FrameSpectra frame_spectra();
  /// Sets the fibers and bins that hold the patches.
  void cover(const WaveGrid& grid, const std::vector<Patch>& patches);
  /// Memory for the spectra and the status of the patches, without results yet.
  void prepare_spectra(const ExtractInputs& inputs, std::size_t npatches);
  /// Measures the reach of all patches of the frame in reach_and_bad_, if only some patches are
  /// loaded.
  void measure_reach(const ExtractInputs& inputs, const std::vector<Patch>& all);
  /// Lays out the patches with `more` bins more of padding, which also count in reach_and_bad_, and
  /// finds the tested rows.
  void lay_out_wide(const ExtractInputs& inputs);
  /// Lets transfers wait for the work on the context's stream.
  void let_transfers_wait();

  const Context* context_;
  /// For loads and downloads: their kernels are short, and go before those of another frame.
  Context transfer_context_{Priority::high};
  Event computed_;
  bool poison_;
  DevicePsf psf_;
  WaveBins bins_;
  int fiber_ = 0;
  int nspec_ = 0;
  int nx_ = 0, ny_ = 0;
  int reach_ = 0;
  int max_fibers_ = 0;
  int more_ = 0;
  DeviceBuffer<double> value_, weight_;
  SpotCorners corners_;
  DeviceBuffer<RowBins> rows_, tested_rows_;
  std::vector<PatchGeometry> geometry_;
  DeviceBuffer<PatchGeometry> device_geometry_, all_geometry_, selected_geometry_, wide_geometry_;
  DeviceBuffer<int> selected_status_, row_of_fiber_;
  SpotCorners all_corners_;
  DeviceBuffer<int> reach_and_bad_;
  DeviceBuffer<float> rims_;  // of the spots
  DeviceBuffer<double> selected_spots_;
  DeviceBuffer<double> spots_;  // also holds floats in transfer, before and after the spots
  DeviceBuffer<double> spectra_values_, f_;
  SpectraView spectra_;
  DeviceBuffer<int> status_;
  HostTransfers transfers_;
  ResolutionPacker packer_;
};

}  // namespace spex::gpu
