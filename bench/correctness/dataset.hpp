// The simulated frames of a case.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/measure/entry.hpp"
#include "bench/measure/launch.hpp"
#include "bench/measure/signals.hpp"

namespace spex::bench {

/// A frame's files.
struct InputFrame {
  std::string camera;
  std::string preproc, psf, truth;
};

/// A case's frames on disk, in the order of Case::camera_list.
struct Dataset {
  std::string folder;
  std::vector<InputFrame> frames;
  nlohmann::ordered_json inputs;  ///< of a result file; of all frames
};

/// The case's frames in DATA/CASE: as they are where they were made by this version with the same
/// options and are whole, else simulated. Throws Error(data) where they cannot be made.
[[nodiscard]] Dataset prepare_dataset(const Case& one, const std::string& data,
                                      const Programs& programs, Signals& signals);

/// `inputs` of the first `count` frames.
[[nodiscard]] nlohmann::ordered_json inputs_of(const Dataset& dataset, int count);

/// The same where the frames were not made, as an entry is skipped: none.
[[nodiscard]] nlohmann::ordered_json inputs_not_made(const Case& one,
                                                     const std::string& data_folder);

/// A list for the extractors' --list: the first `count` frames, sorted by camera as --exposure
/// does, their outputs in `outputs`. Returns its path, in `outputs`.
[[nodiscard]] std::string write_frame_list(const Dataset& dataset, int count,
                                           const std::string& outputs);

/// The output of a camera in such a folder.
[[nodiscard]] std::string output_of(const std::string& outputs, const std::string& camera);

}  // namespace spex::bench
