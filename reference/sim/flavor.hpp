// Kinds of exposures, as DESI's headers and fibermaps call them.
#pragma once

#include <string>

namespace spex {

/// What the fibers see: targets and sky, a continuum lamp, line lamps, sky alone.
enum class Flavor { science, flat, arc, sky };

/// As on the command line: "science", "flat" ...
[[nodiscard]] std::string to_string(Flavor flavor);
/// OBSTYPE of the header: "SCIENCE", "FLAT" ...
[[nodiscard]] std::string obstype(Flavor flavor);
/// FLAVOR of the header: "science" for the sky too.
[[nodiscard]] std::string header_flavor(Flavor flavor);

}  // namespace spex
