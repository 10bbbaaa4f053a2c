// The SCORES of a frame (extraction.md, section 7).
#pragma once

#include <string>

#include "reference/model/frame.hpp"
#include "reference/model/scores.hpp"

namespace spex {

/// Scores within the window of the camera, whose name starts with its letter: b [4000, 5800),
/// r [5800, 7600), z [7600, 9800) Angstrom; for any other letter all wavelengths. A window without
/// bins gives zeros.
[[nodiscard]] Scores compute_scores(const Frame& frame, const std::string& camera);

}  // namespace spex
