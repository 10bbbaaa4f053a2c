#include "mpi/run/exposure_folders.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/core/error.hpp"
#include "reference/fits/file_forms.hpp"
#include "reference/frame/file_names.hpp"
#include "reference/frame/production_paths.hpp"

namespace spex::mpi {
namespace {

namespace fs = std::filesystem;

// Camera and EXPID of preproc-CAMERA-EXPID.fits[.gz|.fz]; nothing for any other name.
std::optional<std::pair<std::string, std::string>> parse_preproc(const std::string& name) {
  const std::optional<FileName> parts = parse_file_name("preproc", name);
  if (!parts ||
      (parts->ending != ".fits" && parts->ending != ".fits.gz" && parts->ending != ".fits.fz"))
    return {};
  return std::pair{parts->camera, parts->expid};
}

std::string expid_text(int expid) {
  return fmt::format("{:08}", expid);
}

// Of several forms of one input none is taken: which one is right is not known.
void note_forms(const std::vector<std::string>& forms, FrameFiles& files) {
  if (forms.size() > 1 && files.fault.empty())
    files.fault = fmt::format("{}: exists also as {} (expected one of them)", forms.front(),
                              fmt::join(forms.begin() + 1, forms.end(), " and "));
}

FrameFiles frame_files(const ExposureFolders& folders, const std::string& camera,
                       const std::string& expid, const std::string& preproc) {
  const std::string stem = fmt::format("-{}-{}", camera, expid);
  const std::string frame =
      folders.names == FrameNames::plain
          ? fmt::format("frame{}.fits", stem)
          : fmt::format("frame{}{}.fits{}", stem, no_badcolumn_mask, compression_suffix());
  FrameFiles files;
  files.camera = camera;
  files.input = (fs::path(folders.preproc) / preproc).string();
  files.psf = (fs::path(folders.psf) / fmt::format("psf{}.fits", stem)).string();
  files.output = (fs::path(folders.output) / frame).string();
  note_forms(existing_forms(files.input), files);
  const std::vector<std::string> psfs = existing_forms(files.psf);
  if (!psfs.empty()) files.psf = psfs.front();
  note_forms(psfs, files);
  return files;
}

// The file that desi_proc derives from the frame `output`; empty for other names.
std::string masked_frame(const std::string& output) {
  const std::size_t at = output.rfind(no_badcolumn_mask);
  return at == std::string::npos ? "" : std::string(output).erase(at, no_badcolumn_mask.size());
}

}  // namespace

std::string to_string(FrameNames names) {
  return names == FrameNames::plain ? "plain" : "desi-proc";
}

ExposureFolders production_folders(const std::string& root, int night, int expid) {
  const fs::path below = fs::path(std::to_string(night)) / expid_text(expid);
  ExposureFolders folders;
  folders.preproc = (fs::path(root) / "preproc" / below).string();
  folders.psf = folders.output = (fs::path(root) / "exposures" / below).string();
  folders.names = FrameNames::desi_proc;
  folders.expid = expid;
  return folders;
}

std::vector<int> exposures_of_night(const std::string& root, int night) {
  const fs::path folder = fs::path(root) / "preproc" / std::to_string(night);
  std::error_code code;
  fs::directory_iterator entries(folder, code);
  if (code) throw data_error(folder.string(), "cannot be listed: " + code.message(), "a folder");
  std::vector<int> expids;
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (!is_expid(name)) continue;
    const fs::directory_iterator files(entry.path(), code);
    // A folder that cannot be listed fails as an exposure of its own.
    if ((code && code != std::errc::not_a_directory) ||
        std::any_of(begin(files), end(files), [](const fs::directory_entry& file) {
          return parse_preproc(file.path().filename().string()).has_value();
        }))
      expids.push_back(std::stoi(name));
  }
  if (expids.empty())
    throw usage_error(folder.string(), "has no exposure",
                      "folders EXPID with preproc-CAMERA-EXPID.fits, .fits.gz or .fz");
  std::ranges::sort(expids);
  return expids;
}

std::vector<FrameFiles> frames_of_folders(const ExposureFolders& folders) {
  std::error_code code;
  fs::directory_iterator entries(folders.preproc, code);
  if (code) throw data_error(folders.preproc, "cannot be listed: " + code.message(), "a folder");
  const auto wanted = [&](const std::string& camera, const std::string& expid) {
    return (folders.cameras.empty() || std::ranges::count(folders.cameras, camera) > 0) &&
           (!folders.expid || expid == expid_text(*folders.expid));
  };
  using Found = std::tuple<std::string, std::string, std::string>;  // camera, EXPID, name
  std::vector<Found> found;
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    const auto parsed = parse_preproc(name);
    if (parsed && wanted(parsed->first, parsed->second))
      found.emplace_back(parsed->first, parsed->second, name);
  }
  for (const std::string& camera : folders.cameras) {
    if (std::ranges::any_of(found, [&](const auto& one) { return std::get<0>(one) == camera; }))
      continue;
    if (!folders.expid)
      throw usage_error(folders.preproc, "has no preproc file of " + camera,
                        "one for each of --cameras");
    const std::string expid = expid_text(*folders.expid);
    found.emplace_back(camera, expid,
                       fmt::format("preproc-{}-{}.fits{}", camera, expid, compression_suffix()));
  }
  if (found.empty())
    throw usage_error(folders.preproc,
                      folders.expid
                          ? fmt::format("has no preproc file of exposure {}", *folders.expid)
                          : "has no preproc file",
                      "preproc-CAMERA-EXPID.fits, .fits.gz or .fz");
  std::sort(found.begin(), found.end());
  // One frame, whatever the number of forms of its image.
  const auto same_frame = [](const Found& a, const Found& b) {
    return std::get<0>(a) == std::get<0>(b) && std::get<1>(a) == std::get<1>(b);
  };
  found.erase(std::unique(found.begin(), found.end(), same_frame), found.end());
  std::vector<FrameFiles> frames;
  for (const auto& [camera, expid, name] : found)
    frames.push_back(frame_files(folders, camera, expid, name));
  return frames;
}

std::vector<FrameFiles> frames_of_exposures(const std::vector<ExposureFolders>& exposures) {
  std::vector<FrameFiles> frames;
  std::optional<Error> first;
  for (const ExposureFolders& folders : exposures) {
    try {
      for (FrameFiles& frame : frames_of_folders(folders)) frames.push_back(std::move(frame));
    } catch (const Error& error) {
      if (!first) first = error;
      FrameFiles& all = frames.emplace_back();
      all.input = (fs::path(folders.preproc) / "preproc-CAMERA-EXPID.fits").string();
      all.fault = error.what();
    }
  }
  // Nothing else can be done.
  const auto unknown = [](const FrameFiles& frame) { return frame.camera.empty(); };
  if (first && std::ranges::all_of(frames, unknown)) throw *std::move(first);
  return frames;
}

void find_inputs(std::vector<FrameFiles>& frames) {
  for (FrameFiles& frame : frames) {
    if (!frame.fault.empty()) continue;
    try {
      frame.input = find_form(frame.input);
      frame.psf = find_form(frame.psf);
      if (frame.fibermap) frame.fibermap = find_form(*frame.fibermap);
    } catch (const Error& error) {
      frame.fault = error.what();
    }
  }
}

std::vector<SkippedFrame> skip_frames(std::vector<FrameFiles>& frames, const SkipRules& rules) {
  std::vector<SkippedFrame> skipped;
  std::vector<FrameFiles> kept;
  for (FrameFiles& frame : frames) {
    std::optional<SkippedFrame> skip;
    if (rules.existing)
      for (const std::string& path : {frame.output, masked_frame(frame.output)})
        for (const std::string& form : existing_forms(path))
          if (!skip) skip = SkippedFrame{frame, false, form};
    if (rules.missing)
      for (const std::string& path : {frame.input, frame.psf})
        if (!skip && existing_forms(path).empty()) skip = SkippedFrame{frame, true, path};
    if (skip)
      skipped.push_back(std::move(*skip));
    else
      kept.push_back(std::move(frame));
  }
  frames = std::move(kept);
  return skipped;
}

}  // namespace spex::mpi
