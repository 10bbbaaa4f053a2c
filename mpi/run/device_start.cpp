#include "mpi/run/device_start.hpp"

namespace spex::mpi {

int devices_worth_starting(std::size_t frames) {
  // s / t. On four H200s the second GPU delayed the first frames by 0.2 s and saved 0.007 s a
  // frame.
  constexpr std::size_t frames_of_a_start = 15;
  std::size_t devices = 1;
  while (frames > (devices + 1) * devices * frames_of_a_start) ++devices;
  return static_cast<int>(devices);
}

}  // namespace spex::mpi
