#include "reference/model/options.hpp"

#include <fmt/format.h>

namespace spex {

int effective_wavepad(int wavepad, double wavepad_frac) {
  return wavepad + static_cast<int>(wavepad * wavepad_frac);
}

std::string to_string(const XyRange& range) {
  return fmt::format("{},{},{},{}", range.xmin, range.xmax, range.ymin, range.ymax);
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
