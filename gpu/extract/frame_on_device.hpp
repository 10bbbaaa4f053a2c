// A frame in device memory: PSF, pixels, corners of the spots, patches, and room for the spectra.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "gpu/core/context.hpp"
#include "gpu/extract/pack_resolution.hpp"
#include "gpu/extract/quality.hpp"
#include "reference/extract/extract_patches.hpp"

namespace spex::gpu {

/// Patches of a frame that need not follow each other.
struct PatchSelection {
  std::vector<int> index;                  ///< among the frame's patches
  const PatchGeometry* patches = nullptr;  ///< theirs, in device memory
  int* status = nullptr;                   ///< 0 each, in device memory
  SpotsView spots;
};

/// What all engines work on. Fibers count from `fiber`, bins from `bins.first`.
class FrameOnDevice {
 public:
  explicit FrameOnDevice(const Context& context, bool poison);

  /// Uploads a frame and lays out `patches`, which are not empty. Waits for the GPU, once. Throws
  /// Error(data) where the PSF is no PSF at a wavelength asked for.
  void load(const ExtractInputs& inputs, const std::vector<Patch>& patches);

  /// Evaluates the spots of the patches [first, last) into this frame's own buffer; the view holds
  /// until the next call, or until a frame is loaded or downloaded.
  SpotsView evaluate_spots(int first, int last);

  /// Some patches by their indices, which ascend, side by side, and the spots of their fibers, in
  /// place of all spots before; it holds until spots are evaluated or patches selected again.
  PatchSelection select(const std::vector<int>& index);

  /// Waits for the stream and copies the spectra of all patches to the host.
  [[nodiscard]] std::vector<PatchResult> download();

  /// The same as a whole frame without MASK (flux and ivar an Angstrom, extraction.md, section 7),
  /// R in the form that is wanted, for patches that are all of a frame's, into `to.frame` and
  /// `to.resolution`. Waits for the stream.
  void download_frame(const ExtractInputs& inputs, SpectraOf wanted, Extracted& to);

  /// The fiber of the PSF that fibers here count from.
  [[nodiscard]] int fiber() const { return fiber_; }
  [[nodiscard]] const std::vector<PatchGeometry>& geometry() const { return geometry_; }
  [[nodiscard]] const PatchGeometry* device_geometry() const { return device_geometry_.get(); }
  /// Of all patches of the whole frame, not of those loaded alone, so that what depends on them is
  /// the same on every rank: the largest distance, in bins, of wavelengths whose spots overlap,
  /// and the most padded fibers of a patch.
  [[nodiscard]] int reach() const { return reach_; }
  [[nodiscard]] int most_fibers() const { return most_fibers_; }
  [[nodiscard]] PixelsView pixels() const;
  [[nodiscard]] RowBinsView rows() const;
  [[nodiscard]] const SpectraView& spectra() const { return spectra_; }
  [[nodiscard]] int* status() const { return status_.get(); }
  /// Numbers of a spot.
  [[nodiscard]] int spot_size() const { return psf_.view.nx() * psf_.view.ny(); }

 private:
  // A pinned piece of memory, and when the GPU is done with it.
  struct Piece {
    PinnedBuffer<std::byte> bytes;
    Event sent;
  };
  // Fibers that travel together, and the patches [patch, end_patch) whose cores they are.
  struct FiberRun {
    int fiber = 0;
    int nfiber = 0;
    std::size_t patch = 0;
    std::size_t end_patch = 0;
  };

  SpotsView view_spots(int first_spec, int nspec, const int* row) const;
  void upload_pixels(const Pixels& pixels);
  /// Floats go to `room` on the device, doubles to `to`, which has room for all in any case.
  void upload_reals(const Reals& from, float* room, DeviceBuffer<double>& to);
  /// Copies through pinned pieces, two in flight.
  template <class T>
  void send(const std::vector<T>& values, T* to);
  /// Room for `count` floats where the spots are, while there are none.
  float* floats_in_spots(std::size_t count);
  /// Runs of all patches in turn, as long as a piece holds them, of a patch at least.
  [[nodiscard]] std::vector<FiberRun> fiber_runs() const;
  [[nodiscard]] std::size_t spectra_bytes(int nfiber) const;
  /// Starts the copy of these fibers' spectra; the view of what it will bring.
  SpectraView copy_fibers(const FiberRun& run, Piece& to) const;
  [[nodiscard]] static PatchResult cut_patch(const PatchGeometry& patch, const FiberRun& run,
                                             const SpectraView& host);
  /// `count` numbers of device memory behind those of `to`, through the pinned pieces.
  template <class T>
  void append(const T* from, std::size_t count, std::vector<T>& to);
  /// What the packer makes of the rows that it surveyed; none where plan() has none.
  [[nodiscard]] std::optional<PackedImage> download_packed();
  /// The reach of all patches of the frame, into reach_and_bad_: for when others are loaded.
  void measure_reach(const ExtractInputs& inputs, const std::vector<Patch>& all);

  const Context* context_;
  bool poison_;
  DevicePsf psf_;
  WaveBins bins_;
  int fiber_ = 0;
  int nspec_ = 0;
  int nx_ = 0, ny_ = 0;
  int reach_ = 0;
  int most_fibers_ = 0;
  DeviceBuffer<double> value_, weight_;
  SpotCorners corners_;
  DeviceBuffer<RowBins> rows_;
  std::vector<PatchGeometry> geometry_;
  DeviceBuffer<PatchGeometry> device_geometry_, all_geometry_, selected_geometry_;
  DeviceBuffer<int> selected_status_, row_of_fiber_;
  SpotCorners all_corners_;
  DeviceBuffer<int> reach_and_bad_;
  DeviceBuffer<double> spots_;  // and floats on their way, before there are any and after
  DeviceBuffer<double> spectra_values_;
  SpectraView spectra_;
  DeviceBuffer<int> status_;
  std::array<Piece, 2> pieces_;
  ResolutionPacker packer_;
};

}  // namespace spex::gpu
