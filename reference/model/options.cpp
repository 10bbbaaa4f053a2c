#include "reference/model/options.hpp"

#include <stdexcept>

namespace spex {

std::string to_string(Method method) {
  return method == Method::eigh ? "eigh" : "cholesky";
}

std::string to_string(Decorrelate decorrelate) {
  return decorrelate == Decorrelate::signal ? "signal" : "noise";
}

std::string to_string(Milestone milestone) {
  switch (milestone) {
    case Milestone::baseline:
      return "baseline";
    case Milestone::cpu_refactor:
      return "cpu-refactor";
    case Milestone::multi_gpu:
      return "multi-gpu";
    case Milestone::batch_eigh:
      return "batch-eigh";
    case Milestone::batch_subbundle:
      return "batch-subbundle";
    case Milestone::interleave_io:
      return "interleave-io";
    case Milestone::direct:
      return "direct";
    case Milestone::pipeline:
      return "pipeline";
  }
  throw std::logic_error("no such milestone");
}

}  // namespace spex
