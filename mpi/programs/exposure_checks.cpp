#include "mpi/programs/exposure_checks.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/same_file.hpp"

namespace spex {
namespace {

// The first option that names a folder of files, in addition to --exposure or --night.
const char* folder_option(const ExposureArguments& many) {
  if (!many.psf_dir.empty()) return "--psf-dir";
  if (!many.outdir.empty()) return "--outdir";
  if (!many.cameras.empty()) return "--cameras";
  if (!many.frame_names.empty()) return "--frame-names";
  if (!many.expid.empty()) return "--expid";
  if (!many.specprod.empty()) return "--specprod";
  return nullptr;
}

// The log file must not be another file of the run.
void check_log_file(const FrameFiles& one, const ExposureArguments& many) {
  const std::string& log = many.log_file;
  for (const char* ending : {".fits", ".gz", ".fz"})
    if (log.ends_with(ending))
      throw usage_error("--log-file", log + " is the name of a FITS file",
                        "the name of a text file");
  for (const std::string& name :
       {one.input, one.psf, one.output, one.model.value_or(""), one.rejected.value_or(""),
        one.fibermap.value_or(""), many.from_pipe() ? "" : many.list, many.events.value_or("")})
    if (same_file(log, name))
      throw usage_error("--log-file", log + " is the name of an input or an output",
                        "another name");
}

// Checks the files of one frame: names must not be empty, and the run log must be a different file.
void check_names_of_one(const FrameFiles& files, const std::string& events) {
  const std::pair<const char*, const std::string*> named[] = {
      {"--input", &files.input}, {"--psf", &files.psf}, {"--output", &files.output}};
  for (const auto& [option, name] : named)
    if (name->empty()) throw usage_error(option, "is empty", "the name of a file");
  for (const std::string& name : {files.input, files.psf, files.output, files.model.value_or(""),
                                  files.rejected.value_or(""), files.fibermap.value_or("")})
    if (same_file(events, name))
      throw usage_error(events, "is the name of an input or an output",
                        "another name for --events");
}

// Checks combinations of options that select frames.
void check_choice_of_frames(const ExposureArguments& many) {
  const auto without = [](const char* option, const char* other) {
    return usage_error(option, fmt::format("cannot be combined with {}", other), "one of them");
  };
  if (!many.list.empty()) {
    if (!many.exposure.empty()) throw without("--list", "--exposure");
    if (many.night) throw without("--list", "--night");
    if (!many.preproc_dir.empty()) throw without("--list", "--preproc-dir");
    if (const char* option = folder_option(many))
      throw usage_error(option, "cannot be combined with --list, which names its files",
                        fmt::format("no {}", option));
    if (many.from_pipe() && many.events)
      throw usage_error("--events", "cannot be combined with --list -, which has no end",
                        "no --events, or a list in a file");
    return;
  }
  if (many.night) {
    if (!many.exposure.empty()) throw without("--night", "--exposure");
    return;
  }
  if (!many.specprod.empty())
    throw usage_error("--specprod", "requires a production's tree", "--night");
  if (many.exposure.empty() && (many.psf_dir.empty() || many.outdir.empty()))
    throw usage_error("--preproc-dir", "contains only the images",
                      "also --psf-dir and --outdir, or --exposure");
}

// Checks combinations of options for many frames.
void check_many(const FrameFiles& one, const ExposureArguments& many) {
  check_choice_of_frames(many);
  const char* const other = !many.list.empty()      ? "--list"
                            : many.night            ? "--night"
                            : many.exposure.empty() ? "--preproc-dir"
                                                    : "--exposure";
  if (!one.input.empty() || !one.psf.empty() || !one.output.empty())
    throw usage_error(other, "cannot be combined with --input, --psf and --output",
                      "one frame or many");
  if (one.model || one.rejected || one.fibermap)
    throw usage_error(other, "cannot be combined with --model, --rejected-pixels and --fibermap",
                      "--input, --psf and --output");
  if (extractors_of_rank(many) < 1)
    throw usage_error("--extractors", std::to_string(*many.extractors), "1 or more");
}

}  // namespace

const char* pipeline_option(const ExposureArguments& many) {
  if (many.readers) return "--readers";
  if (many.extractors) return "--extractors";
  if (many.writers) return "--writers";
  if (many.frames_in_flight) return "--frames-in-flight";
  return nullptr;
}

const char* option_of_many(const ExposureArguments& many) {
  if (const char* option = folder_option(many)) return option;
  if (many.skip_existing) return "--skip-existing";
  if (many.skip_missing) return "--skip-missing";
  if (!many.schedule.empty()) return "--schedule";
  if (many.groups) return "--groups";
  return pipeline_option(many);
}

void check_exposure_options(const FrameFiles& one, const ExposureArguments& many) {
  if (!(many.stall_limit >= 0))
    throw usage_error("--stall-limit", fmt::format("{:g}", many.stall_limit), "0 s or more");
  if (!many.many()) {
    if (const char* stray = option_of_many(many))
      throw usage_error(stray, "requires many frames", "--exposure, --night or --list");
    check_names_of_one(one, many.events.value_or(""));
  } else {
    check_many(one, many);
  }
  if (!many.log_file.empty()) check_log_file(one, many);
}

}  // namespace spex
