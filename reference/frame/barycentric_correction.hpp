// Which frames get the barycentric correction, and by which factor (extraction.md, section 3.1).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "reference/astrometry/barycentric.hpp"
#include "reference/astrometry/earth_orientation.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

/// Frames whose wavelengths are corrected: none, all, or those of the sky, whose OBSTYPE (FLAVOR
/// where there is none) is SCIENCE or SKY, as DESI's pipeline does.
enum class BarycentricFrames { none, all, of_sky };

/// The barycentric correction of a run.
struct BarycentricSettings {
  BarycentricFrames frames = BarycentricFrames::none;  ///< that are corrected
  std::optional<double> heliocor;  ///< the caller's factor F; of the frame's header where absent
  /// UT1 - UTC and polar motion. Without a table UT1 is UTC and the pole does not move, which costs
  /// up to 9e-11 of F.
  std::shared_ptr<const EarthOrientationTable> earth;
};

/// Where the telescope looked in the middle of the exposure, by the header of the image `file`, or
/// else of its fibermap:
///
/// - the image's header, if it has RA or TARGTRA; else the fibermap's, if that has one of them.
/// - RA: the first that is there of TARGTRA, SKYRA, TELRA, RA; declination likewise, on its own.
/// - time: MJD-OBS, else MJD; and half of EXPTIME, where that is there.
///
/// Throws Error(data) where something is missing, or is no direction or no date.
[[nodiscard]] Pointing pointing_of(const Preproc& preproc, const std::string& file);

/// F of a frame: 1 where it is not to be corrected. Throws as pointing_of, and where the table of
/// the Earth's orientation does not have the date.
[[nodiscard]] double barycentric_factor_of(const BarycentricSettings& settings,
                                           const Preproc& preproc, const std::string& file);

}  // namespace spex
