#include "reference/model/options.hpp"

namespace spex {

std::string to_string(Decorrelate decorrelate) {
  return decorrelate == Decorrelate::signal ? "signal" : "noise";
}

}  // namespace spex
