// Exposure types and their names in DESI's headers and fibermaps.
#pragma once

#include <string>

namespace spex {

/// The light source: targets and sky, a continuum lamp, line lamps, sky only.
enum class Flavor { science, flat, arc, sky };

/// The name on the command line: "science", "flat" ...
[[nodiscard]] std::string to_string(Flavor flavor);
/// OBSTYPE of the header: "SCIENCE", "FLAT" ...
[[nodiscard]] std::string obstype(Flavor flavor);
/// FLAVOR of the header; "science" also for sky exposures.
[[nodiscard]] std::string header_flavor(Flavor flavor);

}  // namespace spex
