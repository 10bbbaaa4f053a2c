// Targets of a spectrograph's fibers: sky, stars, galaxies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spex {

/// The kind of a target.
enum class TargetKind { sky, standard_star, bright_star, galaxy };

/// The target of a fiber, for FIBERMAP and the spectra.
struct Target {
  TargetKind kind = TargetKind::sky;  ///< kind of target
  int fiber = 0;                      ///< FIBER: 500 x spectrograph + index
  std::int64_t targetid = 0;          ///< TARGETID
  double ra = 0;                      ///< degrees
  double dec = 0;                     ///< degrees
  double level = 0;          ///< continuum near 6500 Angstrom, electron / Angstrom in 900 s
  double redshift = 0;       ///< galaxies
  double line_strength = 0;  ///< galaxies: electrons of [OII] in 900 s
  double line_sigma = 0;     ///< galaxies: km/s
  double temperature = 0;    ///< stars: K

  double delta_x = 0;  ///< mm, offset of the fiber from its nominal position
  double delta_y = 0;  ///< mm, the same in y

  /// OBJTYPE: SKY or TGT.
  [[nodiscard]] std::string objtype() const { return kind == TargetKind::sky ? "SKY" : "TGT"; }
  /// DESI_TARGET, by DESI's bits: SKY, STD_FAINT, ELG, MWS_ANY.
  [[nodiscard]] std::int64_t desi_target() const;
  /// GAIA_PHOT_G_MEAN_MAG of a star; 0 for other targets.
  [[nodiscard]] double gaia_g() const;
  /// FIBER_X, FIBER_Y: the fiber's position on the focal plane, mm.
  [[nodiscard]] double fiber_x() const;
  [[nodiscard]] double fiber_y() const;  ///< see fiber_x
};

/// Center of the field, TARGTRA and TARGTDEC, degrees.
inline constexpr double field_ra = 150.5;
inline constexpr double field_dec = 30.5;  ///< degrees

/// The targets of fibers fibermin ... fibermin + nfiber - 1. They depend only on the seed and the
/// fiber, so that all cameras of a spectrograph see the same targets. Each bundle of 25 has two or
/// three sky fibers, a standard star, in every fourth bundle a very bright star, and otherwise
/// galaxies.
[[nodiscard]] std::vector<Target> make_targets(std::uint64_t seed, int fibermin, int nfiber);

}  // namespace spex
