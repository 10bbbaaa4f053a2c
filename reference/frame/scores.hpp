// The SCORES of a frame (extraction.md, section 7).
#pragma once

#include <string>

#include "reference/model/frame.hpp"
#include "reference/model/scores.hpp"

namespace spex {

/// Scores within the window of the camera (model/camera.hpp), whose name starts with its letter;
/// for a letter that is no arm's, of all wavelengths. A window without bins gives zeros. On
/// `threads` threads.
[[nodiscard]] Scores compute_scores(const Frame& frame, const std::string& camera, int threads = 1);

}  // namespace spex
