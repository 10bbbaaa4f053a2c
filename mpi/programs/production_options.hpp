// Options of an extraction that desi_extract_spectra and desi_proc have, and what of them is ours.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mpi/comm/environment.hpp"
#include "reference/frame/frame_job.hpp"

namespace CLI {
class App;
}

namespace spex {

/// The long options of desi_extract_spectra (desispec of June 2026), which its callers may
/// abbreviate.
inline constexpr std::string_view production_names[] = {
    "help",         "input",       "fibermap",
    "psf",          "output",      "model",
    "wavelength",   "specmin",     "nspec",
    "regularize",   "bundlesize",  "nsubbundles",
    "nwavestep",    "verbose",     "mpi",
    "no-scores",    "psferr",      "decorrelate-fibers",
    "no-gpu",       "use-specter", "barycentric-correction",
    "wavepad-frac", "pixpad-frac"};

/// What those options were parsed into, before they are checked.
struct ProductionArguments {
  bool barycentric = false;             ///< --barycentric-correction
  bool barycentric_by_obstype = false;  ///< --barycentric-by-obstype
  bool no_barycentric = false;          ///< --no-barycentric-correction
  bool psferr_by_arm = false;           ///< --psferr-by-arm
  bool as_desi_proc = false;            ///< a production's tree is asked for, with its settings
  std::optional<double> heliocor;       ///< --heliocor
  std::string iers;                     ///< --iers; empty: none
  bool no_gpu = false;                  ///< --no-gpu
  bool use_gpu = false;                 ///< --use-gpu
  bool async_io = false;                ///< --async-io
  bool verbose = false;                 ///< -v
  bool use_specter = false;             ///< --use-specter, which is refused
  bool decorrelate_fibers = false;      ///< --decorrelate-fibers, which is refused
};

/// Adds the options to `app`, after those of an extraction (add_extract_options).
void add_production_options(CLI::App& app, ProductionArguments& arguments);

/// Checks the options that there are for production's scripts alone. Throws Error(usage) for those
/// that ask for what the program does not do, with the reason.
void check_production_options(const ProductionArguments& arguments, Device device);

/// The barycentric correction asked for, without a table of the Earth's orientation; in a
/// production's tree, where nothing is asked for, that of the frames of the sky. Throws
/// Error(usage).
[[nodiscard]] BarycentricSettings barycentric_settings(const ProductionArguments& arguments);

/// Reads the table of --iers on rank 0, for all ranks; without one, rank 0 logs what that costs,
/// where frames are to be corrected. Throws CollectiveError. Collective.
void load_earth_orientation(const mpi::Communicator& world, const ProductionArguments& arguments,
                            BarycentricSettings& settings);

}  // namespace spex
