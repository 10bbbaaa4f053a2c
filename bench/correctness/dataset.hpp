// The simulated frames of a case.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/correctness/seeds.hpp"
#include "bench/measure/entry.hpp"
#include "bench/measure/launch.hpp"
#include "bench/measure/signals.hpp"

namespace spex::bench {

/// A frame's files.
struct InputFrame {
  std::string camera;
  std::string preproc, psf, truth;
  std::string preproc_sha256, psf_sha256, truth_sha256;
};

/// A case's frames on disk, of one seed, in the order of Case::camera_list.
struct Dataset {
  std::string folder;
  int planned = 0;        ///< by which the plan calls it
  std::int64_t seed = 0;  ///< that it was simulated with
  std::vector<InputFrame> frames;
};

/// The folder of a data folder that inputs lie in: those of drawn seeds apart, as no other campaign
/// has a use for them.
[[nodiscard]] std::string folder_of_inputs(const std::string& data, SeedSource seeds);

/// The case's frames that the plan calls by a number, in CASE-NUMBER of that folder: as they are
/// where they were made by this version with the same options and all their bytes are those that
/// were made, else simulated. Of those that are kept one is drawn by lot, and must come out the
/// same once more. Throws Error(data) where it does not, they cannot be made, or do not lie on the
/// file system of DATA/outputs, which is there.
[[nodiscard]] Dataset prepare_dataset(const Case& one, int planned, Seeds& seeds,
                                      const std::string& data, const Programs& programs,
                                      Signals& signals);

/// The first file whose bytes are no longer those that were made; "" where there is none.
[[nodiscard]] std::string changed_file(const Dataset& dataset);

/// `inputs` of a result file before its first run.
[[nodiscard]] nlohmann::ordered_json inputs_json(const Case& one, SeedSource seeds,
                                                 const std::string& data);
/// Adds a dataset's first `frames` frames to `inputs` of a result file, where it is not there yet.
void add_inputs(const Dataset& dataset, int frames, nlohmann::ordered_json& inputs);

/// A frame to extract, and where to.
struct ListedFrame {
  const InputFrame* input = nullptr;
  std::string output;
};

/// Sorts by camera, as --exposure does.
void sort_by_camera(std::vector<ListedFrame>& frames);

/// Writes a list for the extractors' --list, in this order. Throws Error(data).
void write_frame_list(const std::vector<ListedFrame>& frames, const std::string& path);

}  // namespace spex::bench
