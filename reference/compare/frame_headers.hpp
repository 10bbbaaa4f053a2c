// The headers of a frame.
#pragma once

#include <string>

namespace spex {

/// What is wrong with the headers of the frame at `path`, in a line; "" where nothing is: CAMERA is
/// another than `camera`; CHECKSUM or DATASUM of an HDU is not that of its bytes; a keyword is
/// there twice; a keyword of the frame at `reference` is missing or has another value, or one is
/// there that it has not, but for those that say how and from which file a frame was made.
/// `camera` and `reference` may be empty: then nothing is asked of them. Throws Error(data) where a
/// file cannot be read.
[[nodiscard]] std::string wrong_header(const std::string& path, const std::string& camera,
                                       const std::string& reference);

/// How a frame was to be made.
struct FrameOrigin {
  std::string program;    ///< SPEXPROG
  std::string milestone;  ///< MILESTNE
  std::string method;     ///< METHOD
};

/// What of a frame's header is not how it was to be made, in a line; "" where all is. Throws
/// Error(data) where the file cannot be read.
[[nodiscard]] std::string wrong_origin(const std::string& path, const FrameOrigin& origin);

}  // namespace spex
