// The command line of an extraction, with production's names and defaults (desi_extract_spectra,
// spex) and additional options.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "mpi/programs/production_options.hpp"
#include "reference/frame/frame_job.hpp"
#include "reference/model/option_table.hpp"

namespace CLI {
class App;
}

namespace spex {

/// The parsed options, before checks.
struct ExtractArguments {
  Device device = Device::cpu;  ///< device of the program's milestones
  FrameJob job;
  OptionRequest request;  ///< options that are numbers
  /// Options that are names, bits or wavelengths, by their names in the table; absent: not given.
  std::map<std::string, std::optional<std::string>, std::less<>> texts;
  std::string loglevel = "info";
  std::optional<int> threads;
  ProductionArguments production;
  bool no_scores = false;
  bool no_checksums = false;
  bool mpi = false;  ///< ignored; accepted for production's scripts
};

/// Adds the options of an extraction to `app`; their values are stored in `arguments`.
void add_extract_options(CLI::App& app, ExtractArguments& arguments);

/// Parses the command line like parse_command_line (program.hpp). Options may be abbreviated as in
/// production's scripts, whose options take precedence.
[[nodiscard]] bool parse_extract_command_line(CLI::App& app, int argc, char** argv, bool speaks,
                                              int& status);

/// Checks and converts the arguments. Throws Error(usage).
[[nodiscard]] FrameJob make_job(const ExtractArguments& arguments);

}  // namespace spex
