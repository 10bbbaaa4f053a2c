#include "reference/compare/flux_solvers.hpp"

#include <cmath>
#include <cstddef>

namespace spex {

std::optional<FluxSolvers> compare_flux_solvers(const FrameFile& result, const FrameFile& expected,
                                                const FrameShape& shape) {
  if (result.flux_solver == expected.flux_solver) return std::nullopt;
  FluxSolvers out;
  out.result = result.flux_solver;
  out.expected = expected.flux_solver;
  // Seams are at patch edges of the frame with the flux of patches.
  out.nwavestep = (result.flux_solver == "patch" ? result : expected).nwavestep;
  double sum[2] = {0, 0};  // index 0: elsewhere, 1: at edges
  long long count[2] = {0, 0};
  for (long long j = 0; j < shape.nbins(); ++j) {
    const auto at = [j](const FrameFile& file, const char* hdu) {
      return file.image(hdu)->value[static_cast<std::size_t>(j)];
    };
    const double ivar = at(expected, "IVAR");
    const double pull = (at(result, "FLUX") - at(expected, "FLUX")) * std::sqrt(ivar);
    if (!(ivar > 0 && at(result, "IVAR") > 0) || !std::isfinite(pull)) continue;
    const long long w = j % shape.nwave;
    const long long in_patch = out.nwavestep > 0 ? w % out.nwavestep : -1;
    const bool edge = (in_patch == 0 && w > 0) || (in_patch == out.nwavestep - 1);
    sum[edge ? 1 : 0] += pull * pull;
    ++count[edge ? 1 : 0];
  }
  const auto rms = [&](int k) {
    return count[k] > 0 ? std::sqrt(sum[k] / static_cast<double>(count[k])) : 0.0;
  };
  out.elsewhere = rms(0);
  out.at_edges = rms(1);
  return out;
}

}  // namespace spex
