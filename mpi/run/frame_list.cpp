#include "mpi/run/frame_list.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "reference/core/error.hpp"
#include "reference/fits/file_forms.hpp"
#include "reference/fits/same_file.hpp"
#include "reference/model/camera.hpp"

namespace spex::mpi {
namespace {

namespace fs = std::filesystem;

const char* const line_form = "CAMERA IMAGE PSF OUTPUT";

// The frame of a line; nothing if that is empty. Throws Error(usage), whose subject is `place`.
std::optional<FrameFiles> frame_of_line(const std::string& line, const std::string& place) {
  std::istringstream words(line.substr(0, line.find('#')));
  FrameFiles frame;
  if (!(words >> frame.camera)) return {};
  std::string surplus;
  if (!(words >> frame.input >> frame.psf >> frame.output))
    throw usage_error(place, "has fewer than four words", line_form);
  if (words >> surplus)
    throw usage_error(place, fmt::format("has '{}' after four words", surplus), line_form);
  if (!parse_camera(frame.camera))
    throw usage_error(place, fmt::format("'{}' is not a camera", frame.camera),
                      "b, r or z and a digit");
  return frame;
}

}  // namespace

std::vector<FrameFiles> frames_of_list(const std::string& path) {
  std::ifstream file(path);
  if (!file || fs::is_directory(path))
    throw data_error(path, "cannot be read", "a file with lines " + std::string(line_form));
  std::vector<FrameFiles> frames;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (auto frame = frame_of_line(line, fmt::format("{}:{}", path, number)))
      frames.push_back(*std::move(frame));
  }
  if (frames.empty()) throw usage_error(path, "lists no frame", line_form);
  return frames;
}

namespace {

// Sets the fault of a frame that has none.
void note(FrameFiles& frame, const Error& error) {
  if (frame.fault.empty()) frame.fault = error.what();
}

Error shared_output(const FrameFiles& one, const FrameFiles& two) {
  return usage_error(one.output, fmt::format("is the output of {} and {}", one.input, two.input),
                     "a different output for each frame");
}

Error overwritten(const std::string& input) {
  return usage_error(input, "would be overwritten by an output", "another name for the output");
}

// Faults of frames with the same output, also in another form.
void note_shared_outputs(std::vector<FrameFiles>& frames) {
  std::map<std::string, FrameFiles*> outputs;
  for (FrameFiles& frame : frames) {
    if (frame.output.empty()) continue;
    const auto [place, is_new] = outputs.emplace(name_of_all_forms(frame.output), &frame);
    if (is_new) continue;
    FrameFiles& other = *place->second;
    note(frame, shared_output(frame, other));
    note(other, shared_output(other, frame));
  }
}

}  // namespace

bool FramePipe::read(int wait) {
  pollfd ready{.fd = file_, .events = POLLIN, .revents = 0};
  std::array<char, 4096> bytes{};
  ssize_t count = -1;
  do {
    const int some = poll(&ready, 1, wait);
    if (some == 0) return false;
    if (some > 0) count = ::read(file_, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw data_error(name_, fmt::format("cannot be read: {}", std::strerror(errno)));
  ended_ = count == 0;
  text_.append(bytes.data(), static_cast<std::size_t>(count));
  return !ended_;
}

void FramePipe::take_lines(std::vector<FrameFiles>& frames) {
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    try {
      if (auto frame = frame_of_line(text_.substr(begin, end - begin),
                                     fmt::format("{}:{}", name_, ++lines_)))
        frames.push_back(*std::move(frame));
    } catch (const Error& error) {
      frames.push_back({.fault = error.what()});
    }
  }
  text_.erase(0, begin);
}

std::vector<FrameFiles> FramePipe::next() {
  constexpr int no_limit = -1, pause = 20;  // ms, after the last line of an exposure
  std::vector<FrameFiles> frames;
  while (!ended_ && read(frames.empty() ? no_limit : pause)) take_lines(frames);
  if (ended_) {
    text_ += '\n';  // of the last line
    take_lines(frames);
  }
  any_ = any_ || !frames.empty();
  if (!any_) throw usage_error(name_, "lists no frame", line_form);
  return frames;
}

void FramePipe::note_clashes(std::vector<FrameFiles>& frames) {
  for (FrameFiles& frame : frames) {
    if (!frame.fault.empty()) continue;
    std::map<std::string, std::string> inputs;
    for (const std::string& input : {frame.input, frame.psf}) {
      inputs.emplace(canonical_name(input), input);
      if (outputs_.contains(name_of_all_forms(input)))
        note(frame, usage_error(input, "is the output of a frame before", "an input"));
    }
    const std::string output = canonical_name(frame.output);
    for (const auto* const known : {&inputs, &inputs_})
      if (const auto input = known->find(output); input != known->end())
        note(frame, overwritten(input->second));
    const std::string name = name_of_all_forms(frame.output);
    if (const auto first = outputs_.find(name);
        first != outputs_.end() &&
        (first->second.input != frame.input || first->second.psf != frame.psf))
      note(frame, shared_output(frame, first->second));
    if (!frame.fault.empty()) continue;  // it will not be written
    outputs_.emplace(name, frame);
    inputs_.merge(inputs);
  }
}

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
      note(frame, overwritten(input->second));
  }
}

}  // namespace spex::mpi
