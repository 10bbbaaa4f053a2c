// The headers of a frame, which no comparison of its values looks at.
#pragma once

#include <string>

namespace spex::bench {

/// What is wrong with the headers of the frame at `path`, in a line; "" where nothing is: CAMERA is
/// another than `camera`; CHECKSUM or DATASUM of an HDU is not that of its bytes; a keyword of the
/// frame at `reference` is missing or has another value, but for those that say how and from which
/// file a frame was made. `reference` may be empty. Throws Error(data) where a file cannot be read.
[[nodiscard]] std::string wrong_header(const std::string& path, const std::string& camera,
                                       const std::string& reference);

}  // namespace spex::bench
