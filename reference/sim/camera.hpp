// The cameras of an exposure: arms b, r, z of spectrographs 0 to 9.
#pragma once

#include <string>
#include <vector>

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

/// "b0,r0,z0", or "all" for the 30 of an exposure; in the order given. Throws Error(usage) for an
/// unknown camera, one named twice, or none.
[[nodiscard]] std::vector<Camera> parse_cameras(const std::string& text);

}  // namespace spex
