// Options of desi_extract_spectra and desi_proc, and how this project treats them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mpi/comm/environment.hpp"
#include "reference/frame/barycentric_correction.hpp"
#include "reference/model/choices.hpp"

namespace CLI {
class App;
}

namespace spex {

/// The long options of desi_extract_spectra (desispec of June 2026), which may be abbreviated.
inline constexpr std::string_view production_names[] = {
    "help",         "input",       "fibermap",
    "psf",          "output",      "model",
    "wavelength",   "specmin",     "nspec",
    "regularize",   "bundlesize",  "nsubbundles",
    "nwavestep",    "verbose",     "mpi",
    "no-scores",    "psferr",      "decorrelate-fibers",
    "no-gpu",       "use-specter", "barycentric-correction",
    "wavepad-frac", "pixpad-frac"};

/// The parsed options, before checks.
struct ProductionArguments {
  bool barycentric = false;             ///< --barycentric-correction
  bool barycentric_by_obstype = false;  ///< --barycentric-by-obstype
  bool no_barycentric = false;          ///< --no-barycentric-correction
  bool psferr_by_arm = false;           ///< --psferr-by-arm
  bool as_desi_proc = false;        ///< a production's tree is requested, with desi_proc's settings
  std::optional<double> heliocor;   ///< --heliocor
  std::string iers;                 ///< --iers; empty: none
  bool no_gpu = false;              ///< --no-gpu
  bool use_gpu = false;             ///< --use-gpu
  bool async_io = false;            ///< --async-io
  bool verbose = false;             ///< -v
  bool use_specter = false;         ///< --use-specter, rejected
  bool decorrelate_fibers = false;  ///< --decorrelate-fibers, rejected
};

/// Adds the options to `app`, after those of an extraction (add_extract_options).
void add_production_options(CLI::App& app, ProductionArguments& arguments);

/// Checks the options for production's scripts. Throws Error(usage) with the reason for options
/// that the program does not support.
void check_production_options(const ProductionArguments& arguments, Device device);

/// The requested barycentric correction, without an Earth orientation table. In a production's tree
/// the default corrects sky exposures. Throws Error(usage).
[[nodiscard]] BarycentricSettings barycentric_settings(const ProductionArguments& arguments);

/// Reads the table of --iers on rank 0 and sends it to all ranks. Without a table, rank 0 logs the
/// loss of accuracy if frames are corrected. Throws CollectiveError. Collective.
void load_earth_orientation(const mpi::Communicator& world, const ProductionArguments& arguments,
                            BarycentricSettings& settings);

}  // namespace spex
