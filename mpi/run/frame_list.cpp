#include "mpi/run/frame_list.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/model/camera.hpp"

namespace spex::mpi {
namespace {

namespace fs = std::filesystem;

const char* const line_form = "CAMERA IMAGE PSF OUTPUT";

std::string canonical(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path), ignored).string();
}

}  // namespace

std::vector<FrameFiles> frames_of_list(const std::string& path) {
  std::ifstream file(path);
  if (!file || fs::is_directory(path))
    throw usage_error(path, "cannot be read", "a file with lines " + std::string(line_form));
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
      throw usage_error(subject(), fmt::format("has '{}' after its four words", surplus),
                        line_form);
    if (!parse_camera(frame.camera))
      throw usage_error(subject(), fmt::format("'{}' is no camera", frame.camera),
                        "b, r or z and a digit");
    frames.push_back(std::move(frame));
  }
  if (frames.empty()) throw usage_error(path, "lists no frame", line_form);
  return frames;
}

void check_outputs(const std::vector<FrameFiles>& frames) {
  std::map<std::string, const FrameFiles*> by_output;
  for (const FrameFiles& frame : frames)
    if (!by_output.emplace(canonical(frame.output), &frame).second)
      throw usage_error(frame.output, "is the output of two frames", "an output for each");
  for (const FrameFiles& frame : frames) {
    const fs::path folder = fs::path(frame.output).parent_path();
    if (!folder.empty() && !fs::is_directory(folder))
      throw usage_error(frame.output, "its folder does not exist", "an existing folder");
  }
  for (const FrameFiles& frame : frames)
    for (const std::string& input : {frame.input, frame.psf})
      if (by_output.contains(canonical(input)))
        throw usage_error(input, "would be overwritten by an output",
                          "another name for the output");
}

}  // namespace spex::mpi
