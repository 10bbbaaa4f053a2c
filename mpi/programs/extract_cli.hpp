// The command line of an extraction, with production's names and defaults (desi_extract_spectra,
// spex) and additional options.
#pragma once

#include <optional>
#include <string>

#include "mpi/programs/production_options.hpp"
#include "reference/frame/frame_job.hpp"

namespace CLI {
class App;
}

namespace spex {

/// The parsed options, before checks.
struct ExtractArguments {
  Device device = Device::cpu;  ///< device of the program's milestones
  FrameJob job;
  std::string wavelength;
  std::string mask_bits;
  std::string method;  ///< empty: the milestone's method
  std::string decorrelate = "signal";
  std::string flux = "patch";
  std::string chi2_pixels = "weighted";
  std::string bad2dfit = "relative";
  std::string milestone;
  std::string loglevel = "info";
  std::optional<int> nsubbundles;  ///< absent: the milestone's
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

/// Parses `wmin,wmax,dw` in Angstrom. Throws Error(usage) for any other text.
[[nodiscard]] WaveRange parse_wavelength(const std::string& text);

/// Parses a decimal number, a hexadecimal number with 0x, or "all" for all bits. Throws
/// Error(usage).
[[nodiscard]] std::uint32_t parse_mask_bits(const std::string& text);

}  // namespace spex
