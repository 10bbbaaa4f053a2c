// What is known of DESI's cameras: arms b, r, z of spectrographs 0 to 9. The one place that says
// it.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/options.hpp"

namespace spex {

/// Fibers of a spectrograph.
inline constexpr int fibers_a_spectrograph = 500;
/// Fibers of a bundle.
inline constexpr int fibers_a_bundle = 25;

/// A camera of DESI: an arm of a spectrograph.
struct Camera {
  char arm = 'r';        ///< b, r or z
  int spectrograph = 0;  ///< 0 ... 9

  [[nodiscard]] std::string name() const { return arm + std::to_string(spectrograph); }  ///< "r0"
  /// FIBER of its first fiber.
  [[nodiscard]] int fibermin() const { return fibers_a_spectrograph * spectrograph; }
};

/// Wavelengths [first, end), Angstrom.
struct WaveWindow {
  double first = 0;                                      ///< Angstrom
  double end = std::numeric_limits<double>::infinity();  ///< Angstrom, exclusive
};

/// The CCD of an arm and the wavelengths that fall on it, as spex-sim has them.
struct ArmDetector {
  double wavemin;     ///< Angstrom, of the PSF
  double wavemax;     ///< Angstrom
  double dispersion;  ///< rows / Angstrom, in the middle
  int npix_x;         ///< columns
  int npix_y;         ///< rows
};

/// The share of light that arrives, as spex-sim has it: 0.15, and a Gaussian of height 0.85, which
/// in b falls at a cut-on too.
struct ArmThroughput {
  double peak;          ///< Angstrom
  double width;         ///< Angstrom, the Gaussian's sigma
  double cut_on;        ///< Angstrom, where half is lost; 0: none
  double cut_on_width;  ///< Angstrom
};

/// What the cameras of an arm share.
struct ArmTraits {
  char letter;               ///< first of a camera's name
  WaveRange grid;            ///< production's grid
  WaveWindow scores;         ///< wavelengths that SCORES are of
  double psferr;             ///< fractional error of the PSF model, as desi_proc has it
  ArmDetector detector;      ///< of spex-sim
  ArmThroughput throughput;  ///< of spex-sim
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

/// The arm whose letter a camera's name begins with; nullptr where there is none.
[[nodiscard]] const ArmTraits* find_arm(std::string_view camera);

/// The arm of a camera. Throws std::logic_error where its letter is no arm's.
[[nodiscard]] const ArmTraits& arm_of(const Camera& camera);

/// "b0" ... "z9" as a camera; nothing for any other text.
[[nodiscard]] std::optional<Camera> parse_camera(std::string_view name);

/// The 30 cameras of an exposure, those of a spectrograph together: b0, r0, z0, b1, ...
[[nodiscard]] std::vector<Camera> all_cameras();

/// The cameras of a list, each once, in its order: "all" for the 30 of an exposure, or words with
/// commas between, as desi_proc has them: an arm (or a for all three) and the digits of
/// spectrographs, in letters of either case: "b0,r0", "a0", "b01z9". Throws Error(usage) for any
/// other word.
[[nodiscard]] std::vector<Camera> parse_cameras(const std::string& text);

}  // namespace spex
