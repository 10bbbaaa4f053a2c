// Selects frames for the barycentric correction and finds its factor (extraction.md, section 3.1).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "reference/astrometry/barycentric.hpp"
#include "reference/astrometry/earth_orientation.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

/// Frames that are corrected: none, all, or sky exposures, i.e. OBSTYPE (else FLAVOR) is SCIENCE or
/// SKY, as in DESI's pipeline.
enum class BarycentricFrames { none, all, of_sky };

/// The barycentric correction of a run.
struct BarycentricSettings {
  BarycentricFrames frames = BarycentricFrames::none;  ///< frames to correct
  std::optional<double>
      heliocor;  ///< factor F given by the caller; if absent, from the frame's header
  /// UT1 - UTC and polar motion. Without a table UT1 = UTC and the pole is fixed, an error of up to
  /// 9e-11 in F.
  std::shared_ptr<const EarthOrientationTable> earth;
};

/// The telescope's pointing in the middle of the exposure, from the header of the image `file` or
/// of its fibermap:
///
/// - header: the image's if it has RA or TARGTRA, else the fibermap's if it has one of these.
/// - RA: the first existing keyword of TARGTRA, SKYRA, TELRA, RA; independently the same for the
///   declination.
/// - time: MJD-OBS, else MJD, plus half of EXPTIME if it exists.
///
/// Throws Error(data) if a keyword is missing, or if a value is not a valid direction or date.
[[nodiscard]] Pointing pointing_of(const Preproc& preproc, const std::string& file);

/// The factor F of a frame; 1 if the frame is not corrected. Throws as pointing_of does, and if the
/// Earth orientation table does not cover the date.
[[nodiscard]] double barycentric_factor_of(const BarycentricSettings& settings,
                                           const Preproc& preproc, const std::string& file);

}  // namespace spex
