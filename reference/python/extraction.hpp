// The extraction of one frame for Python: patches can be shared among ranks, and their results are
// assembled to a frame.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/frame/frame_steps.hpp"
#include "reference/frame/patch_extractor.hpp"
#include "reference/model/members.hpp"
#include "reference/python/frame_file.hpp"

namespace spex::python {

/// Extracts patches by threads or on a GPU.
struct Extractor {
  PatchExtractor extract;  ///< function that extracts patches
};

/// Results of some patches of a frame, sent between ranks.
struct Share {
  std::vector<int> patch;            ///< indices of the patches
  std::vector<PatchResult> results;  ///< results in the same order
};

/// Serialization of a Share. from_message throws std::logic_error for an invalid message.
[[nodiscard]] std::string to_message(const Share& share);
/// See to_message.
[[nodiscard]] Share from_message(std::string_view message);

/// A frame with checked inputs, and its patches.
class Extraction {
 public:
  /// Checks inputs from files or from memory. `job` names the files for errors and the header, and
  /// the output files, if any. Throws Error, also if outputs cannot be written.
  Extraction(FrameJob job, Psf psf, Preproc preproc);
  Extraction(const Extraction&) = delete;
  Extraction& operator=(const Extraction&) = delete;

  [[nodiscard]] const FrameInputs& inputs() const { return inputs_; }  ///< checked inputs
  [[nodiscard]] const FrameOptions& options() const {
    return job_.settings.options;
  }  ///< options of the extraction
  [[nodiscard]] const std::vector<Patch>& patches() const {
    return inputs_.patches;
  }  ///< patches of the frame

  /// Extracts the patches of one of `ranks` ranks. Throws Error and exceptions of `done`.
  [[nodiscard]] Share extract(const PatchExtractor& extractor, int rank, int ranks,
                              const std::function<void(long)>& done) const;

  /// Merges the results of all ranks in patch order. Throws std::logic_error if a patch is missing.
  [[nodiscard]] std::vector<PatchResult> put_together(std::vector<Share> shares) const;

  /// Assembles the frame from all results.
  [[nodiscard]] Frame assemble(const std::vector<PatchResult>& results) const;

  /// The content of the frame's file beside the arrays.
  [[nodiscard]] Header header(const PatchCounts& counts) const;

  /// Writes the frame (and the model image) like the programs. Throws Error.
  void write(const std::vector<PatchResult>& results) const;

 private:
  FrameJob job_;
  FrameInputs inputs_;
};

}  // namespace spex::python
