#include "mpi/run/frame_list.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/same_file.hpp"
#include "reference/model/camera.hpp"

namespace spex::mpi {
namespace {

namespace fs = std::filesystem;

const char* const line_form = "CAMERA IMAGE PSF OUTPUT";

}  // namespace

std::vector<FrameFiles> frames_of_list(const std::string& path) {
  std::ifstream file(path);
  if (!file || fs::is_directory(path))
    throw data_error(path, "cannot be read", "a file with lines " + std::string(line_form));
  std::vector<FrameFiles> frames;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    FrameFiles frame;
    if (!(words >> frame.camera)) continue;
    std::string surplus;
    const auto subject = [&] { return fmt::format("{}:{}", path, number); };
    if (!(words >> frame.input >> frame.psf >> frame.output))
      throw usage_error(subject(), "has fewer than four words", line_form);
    if (words >> surplus)
      throw usage_error(subject(), fmt::format("has '{}' after four words", surplus), line_form);
    if (!parse_camera(frame.camera))
      throw usage_error(subject(), fmt::format("'{}' is not a camera", frame.camera),
                        "b, r or z and a digit");
    frames.push_back(std::move(frame));
  }
  if (frames.empty()) throw usage_error(path, "lists no frame", line_form);
  return frames;
}

void check_outputs(const std::vector<FrameFiles>& frames, const RunFiles& run) {
  std::set<std::string> outputs;
  for (const FrameFiles& frame : frames)
    if (!outputs.insert(canonical_name(frame.output)).second)
      throw usage_error(frame.output, "is the output of two frames",
                        "a different output for each frame");
  for (const FrameFiles& frame : frames) {
    const fs::path folder = fs::path(frame.output).parent_path();
    if (!folder.empty() && !fs::is_directory(folder))
      throw data_error(frame.output, "its folder does not exist", "an existing folder");
  }
  const std::string log = run.log.empty() ? "" : canonical_name(run.log);
  const auto refuse = [&](const std::string& input) {
    const std::string file = canonical_name(input);
    if (outputs.contains(file))
      throw usage_error(input, "would be overwritten by an output", "another name for the output");
    if (file == log)
      throw usage_error(input, "would be overwritten by the run log", "another name for --events");
  };
  if (!run.list.empty()) refuse(run.list);
  for (const FrameFiles& frame : frames)
    for (const std::string& input : {frame.input, frame.psf}) refuse(input);
  if (outputs.contains(log))
    throw usage_error(run.log, "is also the name of a frame", "another name for --events");
}

}  // namespace spex::mpi
