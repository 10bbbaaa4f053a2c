// Constants of DESI's cameras: arms b, r, z of spectrographs 0 to 9.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/wave_range.hpp"

namespace spex {

/// Fibers per spectrograph.
inline constexpr int fibers_a_spectrograph = 500;
/// Fibers per bundle.
inline constexpr int fibers_a_bundle = 25;

/// A camera of DESI: an arm of a spectrograph.
struct Camera {
  char arm = 'r';        ///< b, r or z
  int spectrograph = 0;  ///< 0 ... 9

  [[nodiscard]] std::string name() const { return arm + std::to_string(spectrograph); }  ///< "r0"
  /// FIBER of the camera's first fiber.
  [[nodiscard]] int fibermin() const { return fibers_a_spectrograph * spectrograph; }
};

/// Wavelengths [first, end), Angstrom.
struct WaveWindow {
  double first = 0;                                      ///< Angstrom
  double end = std::numeric_limits<double>::infinity();  ///< Angstrom, exclusive
};

/// The CCD of an arm and its wavelengths, as spex-sim simulates them.
struct ArmDetector {
  double wavemin;     ///< Angstrom, range of the PSF
  double wavemax;     ///< Angstrom
  double dispersion;  ///< rows per Angstrom at the center
  int npix_x;         ///< columns
  int npix_y;         ///< rows
};

/// The throughput that spex-sim simulates: 0.15 plus a Gaussian of height 0.85; arm b also has a
/// cut-on.
struct ArmThroughput {
  double peak;          ///< Angstrom
  double width;         ///< Angstrom, the Gaussian's sigma
  double cut_on;        ///< Angstrom, wavelength of half throughput; 0: no cut-on
  double cut_on_width;  ///< Angstrom
};

/// Constants of an arm's cameras.
struct ArmTraits {
  char letter;               ///< first letter of a camera's name
  WaveRange grid;            ///< production's grid
  WaveWindow scores;         ///< wavelength range of SCORES
  double psferr;             ///< fractional error of the PSF model, as in desi_proc
  ArmDetector detector;      ///< for spex-sim
  ArmThroughput throughput;  ///< for spex-sim
};

/// All arms, by wavelength.
inline constexpr std::array arms{
    ArmTraits{'b',
              {3600, 5800, 0.8},
              {4000, 5800},
              0.04,
              {3510, 5998, 1.65, 4096, 4096},
              {5000, 1500, 4000, 180}},
    ArmTraits{'r',
              {5760, 7620, 0.8},
              {5800, 7600},
              0.01,
              {5543, 7826, 1.86, 4114, 4128},
              {6800, 1000, 0, 0}},
    ArmTraits{'z',
              {7520, 9824, 0.8},
              {7600, 9800},
              0.01,
              {7357, 9987, 1.57, 4114, 4128},
              {8500, 1000, 0, 0}},
};

/// The arm of a camera name's first letter; nullptr if there is none.
[[nodiscard]] const ArmTraits* find_arm(std::string_view camera);

/// The arm of a camera. Throws std::logic_error if its letter is not an arm.
[[nodiscard]] const ArmTraits& arm_of(const Camera& camera);

/// The arm of a camera of DESI, named "b0" ... "z9"; nullptr for any other name.
[[nodiscard]] const ArmTraits* arm_of_camera(std::string_view name);

/// Parses "b0" ... "z9"; returns nothing for any other text.
[[nodiscard]] std::optional<Camera> parse_camera(std::string_view name);

/// The 30 cameras of an exposure, grouped by spectrograph: b0, r0, z0, b1, ...
[[nodiscard]] std::vector<Camera> all_cameras();

/// Parses a list of cameras; duplicates are removed and the order is kept. The list is "all" for
/// the 30 cameras of an exposure, or comma-separated words in desi_proc's syntax: an arm (or `a`
/// for all three) and the digits of spectrographs, in upper or lower case: "b0,r0", "a0", "b01z9".
/// Throws Error(usage) for any other word.
[[nodiscard]] std::vector<Camera> parse_cameras(const std::string& text);

}  // namespace spex
