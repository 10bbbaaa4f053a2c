// The headers of a frame, which no comparison of its values looks at.
#pragma once

#include <string>
#include <vector>

#include "bench/measure/run_log.hpp"

namespace spex::bench {

/// What is wrong with the headers of the frame at `path`, in a line; "" where nothing is: CAMERA is
/// another than `camera`; CHECKSUM or DATASUM of an HDU is not that of its bytes; a keyword is
/// there twice; a keyword of the frame at `reference` is missing or has another value, or one is
/// there that it has not, but for those that say how and from which file a frame was made.
/// `reference` may be empty. Throws Error(data) where a file cannot be read.
[[nodiscard]] std::string wrong_header(const std::string& path, const std::string& camera,
                                       const std::string& reference);

/// How a frame was to be made.
struct FrameOrigin {
  std::string input;      ///< its image, as the run log names it
  std::string program;    ///< SPEXPROG
  std::string milestone;  ///< MILESTNE
  std::string method;     ///< METHOD
};

/// What of a frame's header is not how it was to be made, in a line; "" where all is. NFAILED and
/// NFALLBCK must be what the run log says of its input: of each of its frames, where a long run has
/// several. Throws Error(data) where the file cannot be read.
[[nodiscard]] std::string wrong_origin(const std::string& path, const FrameOrigin& origin,
                                       const std::vector<RunLog::Frame>& logged);

}  // namespace spex::bench
