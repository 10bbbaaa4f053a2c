#include "reference/model/choices.hpp"

namespace spex {

std::string to_string(Method method) {
  return method == Method::eigh ? "eigh" : "cholesky";
}

std::string to_string(Schedule schedule) {
  switch (schedule) {
    case Schedule::sequential:
      return "sequential";
    case Schedule::interleave_io:
      return "interleave-io";
    case Schedule::pipeline:
      return "pipeline";
  }
  return "?";
}

std::string to_string(Decorrelate decorrelate) {
  return decorrelate == Decorrelate::signal ? "signal" : "noise";
}

std::string to_string(FluxSolver flux) {
  return flux == FluxSolver::patch ? "patch" : "frame";
}

std::string to_string(Chi2Pixels pixels) {
  return pixels == Chi2Pixels::weighted ? "weighted" : "bright";
}

std::string to_string(PsfTails tails) {
  return tails == PsfTails::off ? "off" : "on";
}

std::string to_string(Bad2dFit rule) {
  return rule == Bad2dFit::relative ? "relative" : "chi2";
}

}  // namespace spex
