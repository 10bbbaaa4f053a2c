#include "reference/compare/compare_frames.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "reference/compare/compare_identical.hpp"
#include "reference/compare/frame_pair.hpp"
#include "reference/compare/structure.hpp"
#include "reference/core/error.hpp"

namespace spex {
namespace {

// Dimensions of the expected frame. Throws if the file is not a frame.
FrameShape expected_shape(const FrameFile& b, const Tolerance& tolerance) {
  auto shape = frame_shape(b);
  if (!shape)
    throw data_error(b.path, "has no FLUX of two axes and RESOLUTION of three",
                     "an extracted frame");
  for (const char* name : {"IVAR", "WAVELENGTH"})
    if (b.image(name) == nullptr)
      throw data_error(b.path, fmt::format("has no HDU {}", name), "an extracted frame");
  for (const FrameImage& image : b.images) {
    auto should = shape->of(image.name);
    if (!should) continue;
    const bool first_fibers = tolerance.golden && image.name == "RESOLUTION" &&
                              image.shape[0] > 0 && image.shape[0] <= shape->nspec;
    if (first_fibers) should->front() = image.shape[0];
    if (image.shape != *should)
      throw data_error(b.path, fmt::format("HDU {} is {}", image.name, to_string(image.shape)),
                       to_string(*should));
  }
  const FrameTable* fibermap = b.table("FIBERMAP");
  if (fibermap != nullptr && fibermap->nrow != shape->nspec)
    throw data_error(b.path, fmt::format("FIBERMAP has {} rows", fibermap->nrow),
                     fmt::format("{}", shape->nspec));
  return *shape;
}

}  // namespace

bool Comparison::ok() const {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.ok(); });
}

Comparison compare_frames(const FrameFile& result, const FrameFile& expected,
                          const Tolerance& tolerance) {
  Comparison out;
  out.tolerance = tolerance;
  if (tolerance.identical) {
    out.checks = compare_identical(result, expected);
    for (const Check& check : out.checks)
      if (check.hdu == "FLUX") out.bins = out.compared = check.compared;
    return out;
  }
  const FrameShape shape = expected_shape(expected, tolerance);
  std::vector<std::string> names = {"FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION", "CHI2PIX"};
  // Frames of images without a FIBERMAP have none.
  if (expected.table("FIBERMAP") != nullptr || result.table("FIBERMAP") != nullptr)
    names.emplace_back("FIBERMAP");
  // Only frames written with --full-precision have this HDU.
  if (result.image("PIXMASK_FRACTION") != nullptr) names.emplace_back("PIXMASK_FRACTION");
  out.checks.push_back(check_hdus(result, names, shape));
  out.checks.push_back(check_finite(result));
  // Values of differing shapes cannot be compared.
  if (!out.checks.front().ok()) return out;

  out.solvers = compare_flux_solvers(result, expected, shape);
  FramePair pair(result, expected, shape, out);
  pair.compare_wavelength();
  pair.compare_fibermap();
  pair.choose_bins();
  pair.find_near_dark();
  pair.compare_flux();
  pair.compare_ivar();
  pair.compare_mask();
  pair.compare_resolution();
  pair.compare_chi2pix();
  pair.compare_pixmask();
  pair.compare_unconstrained();
  return out;
}

}  // namespace spex
