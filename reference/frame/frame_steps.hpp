// The steps of one frame, shared by all schedules: read, extract, write.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/core/stage_times.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/members.hpp"
#include "reference/model/preproc.hpp"
#include "reference/model/psf.hpp"

namespace spex {

class FitsReader;
struct ExtractInputs;
struct ExtractOptions;
struct FrameJob;

/// The input of an extraction. `preproc` holds everything that is copied to the output; its pixels
/// are in `pixels`.
struct FrameInputs {
  Psf psf;          ///< of the camera
  Preproc preproc;  ///< without its pixels; the fibermap has the rows of the spectra, in order
  bool fibermap_by_row = false;    ///< whether these rows were taken by place
  Pixels pixels;                   ///< value and weight
  std::optional<XyRange> cut_out;  ///< the part of the CCD that the image is; `psf` is that part's
  /// The requested wavelengths, which the frame states: barycentric if the frame is corrected.
  WaveRange wavelength;
  double heliocor = 1;  ///< correction factor F; 1: no correction (section 3.1)
  WaveGrid grid;  ///< bins to extract: wavelengths in the telescope's frame, i.e. requested / F
  std::vector<Patch> patches;  ///< of the frame, in the order of make_patches

  /// A view for the extraction, which points into this object.
  [[nodiscard]] ExtractInputs view(const ExtractOptions& options) const;

  SPEX_MEMBERS(psf, preproc, fibermap_by_row, pixels, cut_out, wavelength, heliocor, grid, patches)
};

/// Throws Error(data) if no frame or model image could be written to `path`, if it exists in
/// another form (fits/file_forms.hpp), or if the name does not end in .fits or .fits.gz.
void check_output(const std::string& path);

/// Throws Error(data) if the file of the PSF is an image and `input` is a PSF.
void check_not_swapped(FitsReader& psf_file, const std::string& input);

/// Reads the files. Checks that the inputs fit together and that the output can be written. Throws
/// Error, also if the files have a fault already.
[[nodiscard]] FrameInputs read_frame_inputs(const FrameJob& job, StageTimes& times);

/// The second half of read_frame_inputs: checks inputs that were read from `job`'s files, or passed
/// in memory under these names, and computes pixels and grid. Throws Error.
[[nodiscard]] FrameInputs make_frame_inputs(const FrameJob& job, Psf psf, Preproc preproc);
/// The same for a Preproc whose pixels are already computed.
[[nodiscard]] FrameInputs make_frame_inputs(const FrameJob& job, Psf psf, Preproc preproc,
                                            Pixels pixels);

/// FIBER of the first extracted spectrum, by the camera (io/fibermap_rows.hpp).
[[nodiscard]] long long first_fiber_of(const FrameInputs& inputs, const ExtractOptions& options);
/// Number of spectra whose fibermap row has another FIBER; 0 unless rows were taken by place.
[[nodiscard]] int other_fibers(const FrameInputs& inputs, const ExtractOptions& options);

/// The patches of one rank, in order.
[[nodiscard]] std::vector<Patch> share_of(const std::vector<Patch>& patches,
                                          const std::vector<int>& rank_of, int rank);

/// Assembles the frame from the results of all its patches, in their order, by assemble_frame, with
/// the requested wavelengths.
[[nodiscard]] Frame frame_of(const FrameInputs& inputs, const ExtractOptions& options,
                             const std::vector<PatchResult>& results);
/// The same from an extractor's output, by take_frame.
[[nodiscard]] Frame frame_of(const FrameInputs& inputs, const ExtractOptions& options,
                             Extracted& extracted);

/// Counts the patches, bins and fibers of an assembled frame.
[[nodiscard]] PatchCounts count_frame(const FrameInputs& inputs, const ExtractOptions& options,
                                      const Frame& frame, const std::vector<PatchResult>& patches);

/// Atomically writes the model image and that of rejected pixels, if the job has them, and then the
/// frame. Throws Error; the
/// frame is then not written. `resolution` replaces the frame's unless null (FrameFileContent).
PatchCounts write_frame_outputs(const FrameJob& job, const FrameInputs& inputs, const Frame& frame,
                                const std::vector<PatchResult>& patches,
                                const PackedImage* resolution = nullptr);

}  // namespace spex
