#include "reference/model/options.hpp"

namespace spex {

std::string to_string(Method method) {
  return method == Method::eigh ? "eigh" : "cholesky";
}

std::string to_string(Decorrelate decorrelate) {
  return decorrelate == Decorrelate::signal ? "signal" : "noise";
}

std::string to_string(CpuMilestone milestone) {
  return milestone == CpuMilestone::baseline ? "baseline" : "cpu-refactor";
}

}  // namespace spex
