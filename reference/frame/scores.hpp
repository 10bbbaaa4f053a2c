// The SCORES of a frame (extraction.md, section 7).
#pragma once

#include <string>

#include "reference/model/frame.hpp"
#include "reference/model/scores.hpp"

namespace spex {

/// Scores within the camera's window (model/camera.hpp), selected by the first letter of the name,
/// or over all wavelengths for an unknown letter. A window without bins gives zeros. Uses `threads`
/// threads.
[[nodiscard]] Scores compute_scores(const Frame& frame, const std::string& camera, int threads = 1);

}  // namespace spex
