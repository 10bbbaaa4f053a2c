// One frame's extraction as Python sees it: patches that may be shared among ranks, and the frame
// that their results make.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/frame/frame_steps.hpp"
#include "reference/model/fields.hpp"
#include "reference/python/frame_file.hpp"

namespace spex::python {

/// What extracts patches: threads, or a GPU.
struct Extractor {
  PatchExtractor extract;  ///< of some patches of a frame
};

/// Results of some patches of a frame, as they travel between ranks.
struct Share {
  std::vector<int> patch;            ///< which patches
  std::vector<PatchResult> results;  ///< of these, in the same order
};

/// A message of a Share, and back. from_message throws std::logic_error where it is none.
[[nodiscard]] std::string to_message(const Share& share);
/// See to_message.
[[nodiscard]] Share from_message(std::string_view message);

/// A frame with its inputs checked against each other, and its patches.
class Extraction {
 public:
  /// Of what was read or came from memory. `job` names the files in errors and in the header, and
  /// those to be written, if any. Throws Error, where these cannot be written too.
  Extraction(FrameJob job, Psf psf, Preproc preproc);
  Extraction(const Extraction&) = delete;
  Extraction& operator=(const Extraction&) = delete;

  [[nodiscard]] const FrameInputs& inputs() const { return inputs_; }  ///< checked
  [[nodiscard]] const ExtractOptions& options() const { return job_.settings.options; }  ///< of it
  [[nodiscard]] const std::vector<Patch>& patches() const { return patches_; }  ///< of the frame

  /// Extracts the patches of one of `ranks` ranks. Throws Error, and what `done` throws.
  [[nodiscard]] Share extract(const PatchExtractor& extractor, int rank, int ranks,
                              const std::function<void(long)>& done) const;

  /// Results of all patches, in their order, from those of all ranks. Throws std::logic_error where
  /// one is missing.
  [[nodiscard]] std::vector<PatchResult> put_together(std::vector<Share> shares) const;

  /// The frame of all results.
  [[nodiscard]] Frame assemble(const std::vector<PatchResult>& results) const;

  /// What the frame's file has beside the arrays.
  [[nodiscard]] Header header(const PatchCounts& counts) const;

  /// Writes the frame (and the model image) as the programs do. Throws Error.
  void write(const std::vector<PatchResult>& results) const;

 private:
  FrameJob job_;
  FrameInputs inputs_;
  std::vector<Patch> patches_;
};

}  // namespace spex::python
