#include "mpi/run/frame_list.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/file_forms.hpp"
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

namespace {

// Sets the fault of a frame that has none.
void note(FrameFiles& frame, const Error& error) {
  if (frame.fault.empty()) frame.fault = error.what();
}

// Faults of frames with the same output, also in another form.
void note_shared_outputs(std::vector<FrameFiles>& frames) {
  std::map<std::string, FrameFiles*> outputs;
  for (FrameFiles& frame : frames) {
    if (frame.output.empty()) continue;
    const auto [place, is_new] = outputs.emplace(name_of_all_forms(frame.output), &frame);
    if (is_new) continue;
    FrameFiles& other = *place->second;
    const auto shared = [](const FrameFiles& one, const FrameFiles& two) {
      return usage_error(one.output,
                         fmt::format("is the output of {} and {}", one.input, two.input),
                         "a different output for each frame");
    };
    note(frame, shared(frame, other));
    note(other, shared(other, frame));
  }
}

}  // namespace

void note_clashes(std::vector<FrameFiles>& frames, const RunFiles& run) {
  note_shared_outputs(frames);
  std::map<std::string, std::string> inputs;  // by canonical name
  const auto add = [&](const std::string& input) {
    if (!input.empty()) inputs.emplace(canonical_name(input), input);
  };
  add(run.list);
  for (const FrameFiles& frame : frames)
    for (const std::string& input : {frame.input, frame.psf}) add(input);
  const std::string log = run.log.empty() ? "" : canonical_name(run.log);
  if (const auto input = inputs.find(log); !log.empty() && input != inputs.end())
    throw usage_error(input->second, "would be overwritten by the run log",
                      "another name for --events");
  for (FrameFiles& frame : frames) {
    if (frame.output.empty()) continue;
    const std::string output = canonical_name(frame.output);
    if (output == log)
      throw usage_error(run.log, "is also the name of a frame", "another name for --events");
    if (const auto input = inputs.find(output); input != inputs.end())
      note(frame, usage_error(input->second, "would be overwritten by an output",
                              "another name for the output"));
  }
}

}  // namespace spex::mpi
