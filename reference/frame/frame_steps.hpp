// The steps of one frame, which every schedule is made of: read, extract, write.
#pragma once

#include <string>
#include <vector>

#include "reference/frame/assemble_frame.hpp"
#include "reference/frame/frame_job.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/fields.hpp"
#include "reference/model/preproc.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// What a frame's files hold, ready to be extracted. `preproc` keeps what goes through to the
/// output; its pixels are in `pixels`.
struct FrameInputs {
  Psf psf;          ///< of the camera
  Preproc preproc;  ///< without its pixels
  Pixels pixels;    ///< value and weight
  /// Asked for. The frame states its wavelengths: barycentric ones, where it is corrected.
  WaveRange wavelength;
  double heliocor = 1;  ///< F, by which it is corrected; 1: it is not (section 3.1)
  WaveGrid grid;        ///< bins to extract: wavelengths at the telescope, those asked for / F

  /// For the extraction; points into this object.
  [[nodiscard]] ExtractInputs view(const ExtractOptions& options) const {
    return {&psf, &pixels, grid, options};
  }
};

/// All fields of a FrameInputs.
template <MaybeConst<FrameInputs> T>
auto fields(T& inputs) {
  auto& [psf, preproc, pixels, wavelength, heliocor, grid] = inputs;
  return std::tie(psf, preproc, pixels, wavelength, heliocor, grid);
}

/// Throws Error(data) where a frame or a model image could not be written to `path`, or where the
/// name does not end in .fits or .fits.gz.
void check_output(const std::string& path);

/// Reads the files and checks that they fit together and that the output can be written.
/// Throws Error.
[[nodiscard]] FrameInputs read_frame_inputs(const FrameJob& job, StageTimes& times);

/// The second half of read_frame_inputs: checks what was read from `job`'s files, or came from
/// memory under their names, and makes pixels and grid of it. Throws Error.
[[nodiscard]] FrameInputs make_frame_inputs(const FrameJob& job, Psf psf, Preproc preproc);
/// The same of a Preproc whose pixels were made already.
[[nodiscard]] FrameInputs make_frame_inputs(const FrameJob& job, Psf psf, Preproc preproc,
                                            Pixels pixels);

/// The frame's patches. Throws Error(usage).
[[nodiscard]] std::vector<Patch> patches_of(const ExtractOptions& options,
                                            const FrameInputs& inputs);

/// The patches of one rank, in order.
[[nodiscard]] std::vector<Patch> share_of(const std::vector<Patch>& patches,
                                          const std::vector<int>& rank_of, int rank);

/// The frame of all `patches` (in the same order): assemble_frame's, with the wavelengths asked
/// for.
[[nodiscard]] Frame frame_of(const FrameInputs& inputs, const ExtractOptions& options,
                             const std::vector<Patch>& patches,
                             const std::vector<PatchResult>& results);
/// The same from what an extractor gave: take_frame's.
[[nodiscard]] Frame frame_of(const FrameInputs& inputs, const ExtractOptions& options,
                             const std::vector<Patch>& patches, Extracted& extracted);

/// Writes the model image, where the job has one, and the frame of these patches. A file replaces
/// an older one of its name when it is complete. Throws Error; the frame has not been written then.
/// `resolution` stands for the frame's where it is not null (FrameFileContent).
PatchCounts write_frame_outputs(const FrameJob& job, const FrameInputs& inputs, const Frame& frame,
                                const std::vector<PatchResult>& patches,
                                const PackedImage* resolution = nullptr);

}  // namespace spex
