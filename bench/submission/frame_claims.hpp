// What an archive says of frames, held to itself.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/measure/entry.hpp"

namespace spex::bench {

/// What cannot be in `validation` of a result of an entry whose frames are the first `frames` of a
/// case, a line each: other cameras; a frame that passes with a check of which a value is beyond
/// its limit, without the checks of each HDU by the tolerance where it was held to a reference, or
/// without a truth that lies within the limits of so many bins. Throws nlohmann's exception where a
/// member is missing.
[[nodiscard]] std::vector<std::string> frame_contradictions(
    const nlohmann::ordered_json& validation, const Case& one, int frames,
    const std::string& tolerance);

}  // namespace spex::bench
