#include "mpi/run/device_start.hpp"

#include <fmt/format.h>

namespace spex::mpi {

int devices_worth_starting(std::size_t frames) {
  // s / t. On four H200s the second GPU delayed the first frames by 0.2 s and saved 0.007 s a
  // frame.
  constexpr std::size_t frames_of_a_start = 15;
  std::size_t devices = 1;
  while (frames > (devices + 1) * devices * frames_of_a_start) ++devices;
  return static_cast<int>(devices);
}

std::string first_visible_devices(const char* visible, int count) {
  if (visible == nullptr) {
    std::string all = "0";
    for (int device = 1; device < count; ++device) all += fmt::format(",{}", device);
    return all;
  }
  const std::string names = visible;
  std::size_t end = names.find(',');
  for (int device = 1; device < count && end != std::string::npos; ++device)
    end = names.find(',', end + 1);
  return names.substr(0, end);
}

}  // namespace spex::mpi
