#include "mpi/run/frame_list.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <tuple>
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

// Camera and EXPID of preproc-CAMERA-EXPID.fits[.gz|.fz]; empty for any other name.
std::optional<std::pair<std::string, std::string>> parse_preproc(const std::string& name) {
  constexpr std::string_view prefix = "preproc-";
  constexpr std::size_t digits = 8;
  const std::size_t dash = prefix.size() + 2;
  if (!name.starts_with(prefix) || name.size() <= dash + 1 + digits || name[dash] != '-') return {};
  const std::string camera = name.substr(prefix.size(), 2);
  const std::string expid = name.substr(dash + 1, digits);
  const std::string ending = name.substr(dash + 1 + digits);
  const bool number =
      std::all_of(expid.begin(), expid.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!parse_camera(camera) || !number ||
      (ending != ".fits" && ending != ".fits.gz" && ending != ".fits.fz"))
    return {};
  return std::pair{camera, expid};
}

}  // namespace

std::vector<FrameFiles> frames_of_folder(const std::string& folder,
                                         const std::string& output_folder) {
  std::error_code code;
  fs::directory_iterator entries(folder, code);
  if (code) throw usage_error(folder, "cannot be listed: " + code.message(), "a folder");
  std::vector<std::tuple<std::string, std::string, std::string>> found;  // camera, EXPID, name
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (const auto parsed = parse_preproc(name))
      found.emplace_back(parsed->first, parsed->second, name);
  }
  if (found.empty())
    throw usage_error(folder, "has no preproc file", "preproc-CAMERA-EXPID.fits, .fits.gz or .fz");
  std::sort(found.begin(), found.end());
  std::vector<FrameFiles> frames;
  for (const auto& [camera, expid, name] : found) {
    const std::string rest = fmt::format("-{}-{}.fits", camera, expid);
    FrameFiles frame;
    frame.camera = camera;
    frame.input = (fs::path(folder) / name).string();
    frame.psf = (fs::path(folder) / ("psf" + rest)).string();
    frame.output = (fs::path(output_folder) / ("frame" + rest)).string();
    frames.push_back(std::move(frame));
  }
  return frames;
}

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
