// Checks of a frame's headers.
#pragma once

#include <string>

#include "reference/compare/frame_file.hpp"

namespace spex {

/// Describes the first fault in the headers of the frame at `path` in one line; "" if there is
/// none. Faults are: CAMERA differs from `camera`; a CHECKSUM or DATASUM is wrong; a keyword occurs
/// twice; a keyword is missing, extra or different compared with the frame at `reference`, except
/// keywords that describe how and from which files a frame was made. Empty `camera` or `reference`
/// skip the comparison. Throws Error(data) if a file cannot be read.
[[nodiscard]] std::string wrong_header(const std::string& path, const std::string& camera,
                                       const std::string& reference);

/// The expected origin of a frame.
struct FrameOrigin {
  std::string program;    ///< SPEXPROG
  std::string milestone;  ///< MILESTNE
  std::string method;     ///< METHOD
};

/// Describes how a frame's header differs from the expected origin in one line; "" if it does not.
[[nodiscard]] std::string wrong_origin(const FrameFile& frame, const FrameOrigin& origin);

}  // namespace spex
