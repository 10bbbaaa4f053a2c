// The cameras of an exposure: arms b, r, z of spectrographs 0 to 9.
#pragma once

#include <string>
#include <vector>

namespace spex {

inline constexpr int fibers_a_spectrograph = 500;
inline constexpr int fibers_a_bundle = 25;

struct Camera {
  char arm = 'r';
  int spectrograph = 0;

  [[nodiscard]] std::string name() const { return arm + std::to_string(spectrograph); }
  /// FIBER of its first fiber.
  [[nodiscard]] int fibermin() const { return fibers_a_spectrograph * spectrograph; }
};

/// "b0,r0,z0", or "all" for the 30 of an exposure; in the order given. Throws Error(usage) for an
/// unknown camera, one named twice, or none.
[[nodiscard]] std::vector<Camera> parse_cameras(const std::string& text);

}  // namespace spex
