#include "reference/sim/flavor.hpp"

#include <stdexcept>

namespace spex {

std::string to_string(Flavor flavor) {
  switch (flavor) {
    case Flavor::science:
      return "science";
    case Flavor::flat:
      return "flat";
    case Flavor::arc:
      return "arc";
    case Flavor::sky:
      return "sky";
  }
  throw std::logic_error("unknown flavor");
}

std::string obstype(Flavor flavor) {
  switch (flavor) {
    case Flavor::science:
      return "SCIENCE";
    case Flavor::flat:
      return "FLAT";
    case Flavor::arc:
      return "ARC";
    case Flavor::sky:
      return "SKY";
  }
  throw std::logic_error("unknown flavor");
}

std::string header_flavor(Flavor flavor) {
  return to_string(flavor == Flavor::sky ? Flavor::science : flavor);
}

}  // namespace spex
