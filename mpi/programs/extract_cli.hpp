// The command line of an extraction, with production's names and defaults (desi_extract_spectra,
// spex); ours beside them.
#pragma once

#include <optional>
#include <string>

#include "mpi/programs/production_options.hpp"
#include "reference/frame/frame_job.hpp"

namespace CLI {
class App;
}

namespace spex {

/// What the options of an extraction were parsed into, before they are checked.
struct ExtractArguments {
  Device device = Device::cpu;  ///< whose milestones the program has
  FrameJob job;
  std::string wavelength;
  std::string mask_bits;
  std::string method;  ///< empty: the milestone's
  std::string decorrelate = "signal";
  std::string flux = "patch";
  std::string chi2_pixels = "weighted";
  std::string milestone;
  std::string loglevel = "info";
  std::optional<int> threads;
  ProductionArguments production;
  bool no_scores = false;
  bool mpi = false;  ///< accepted for production's scripts; ranks are found without it
};

/// Adds the options of an extraction to `app`; they are parsed into `arguments`.
void add_extract_options(CLI::App& app, ExtractArguments& arguments);

/// Parses the command line into `app`, as parse_command_line (program.hpp). Options may be
/// abbreviated as in production's scripts, whose own options go before ours.
[[nodiscard]] bool parse_extract_command_line(CLI::App& app, int argc, char** argv, bool speaks,
                                              int& status);

/// Checks and converts. Throws Error(usage).
[[nodiscard]] FrameJob make_job(const ExtractArguments& arguments);

/// `wmin,wmax,dw` in Angstrom. Throws Error(usage) where the text is anything else.
[[nodiscard]] WaveRange parse_wavelength(const std::string& text);

/// A number (decimal, or hexadecimal with 0x), or "all" for every bit. Throws Error(usage).
[[nodiscard]] std::uint32_t parse_mask_bits(const std::string& text);

}  // namespace spex
