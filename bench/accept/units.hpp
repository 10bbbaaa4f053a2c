// Units of accepted speeds.
#pragma once

namespace spex::bench {

inline constexpr int frames_of_exposure = 30;     ///< of DESI: 10 spectrographs with three arms
inline constexpr double seconds_per_hour = 3600;  ///< of frames per node-hour

}  // namespace spex::bench
