#include "reference/compare/production/compare_pair.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "reference/compare/production/bin_states.hpp"
#include "reference/compare/production/compare_keywords.hpp"
#include "reference/compare/production/compare_masks.hpp"
#include "reference/compare/production/compare_tables.hpp"
#include "reference/compare/production/looks_like.hpp"
#include "reference/compare/production/patch_grid.hpp"
#include "reference/compare/production/pipeline_frame.hpp"
#include "reference/core/error.hpp"

namespace spex {
namespace {

constexpr double wavelength_limit = 1e-6;  // Angstrom

void check_origins(const PipelineFrame& ours, const PipelineFrame& production) {
  if (!ours.is_ours())
    throw data_error(ours.file.path, "is not of this project (no SPEXPROG)",
                     "a frame of spex-cpu or spex-gpu");
  if (production.is_ours())
    throw data_error(production.file.path, fmt::format("is of {}", *production.find("SPEXPROG")),
                     "a frame that DESI's pipeline extracted");
}

// Adds HDUs that are missing or have other shapes; returns the shape if the spectra of both frames
// can be compared.
std::optional<FrameShape> common_shape(const PipelineFrame& ours, const PipelineFrame& production,
                                       Differences& out) {
  bool comparable = true;
  for (const char* hdu : {"FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION", "CHI2PIX"}) {
    const FrameImage* const a = ours.file.image(hdu);
    const FrameImage* const b = production.file.image(hdu);
    if (a != nullptr && b != nullptr && a->shape == b->shape) continue;
    comparable = false;
    const auto shape = [](const FrameImage* image) {
      return image == nullptr ? std::string("none") : to_string(image->shape);
    };
    out.add(hdu, "shape", Reason::none, fmt::format("{}, production {}", shape(a), shape(b)));
  }
  for (const FrameImage& image : production.file.images)
    if (ours.file.image(image.name) == nullptr && FrameShape{}.of(image.name) == std::nullopt)
      out.add(image.name, "image", Reason::none, "in production only");
  for (const FrameTable& table : production.file.tables)
    if (ours.file.table(table.name) == nullptr && table.name != "FIBERMAP" &&
        table.name != "SCORES")
      out.add(table.name, "table", Reason::none, "in production only");
  const std::optional<FrameShape> shape = frame_shape(ours.file);
  if (!comparable || !shape) return std::nullopt;
  for (const char* hdu : {"FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION", "CHI2PIX"})
    if (ours.file.image(hdu)->shape != shape->of(hdu)) {
      out.add(hdu, "shape", Reason::none, "does not fit FLUX");
      return std::nullopt;
    }
  return shape;
}

void compare_wavelengths(const PipelinePair& pair, Differences& out) {
  const std::vector<double>& a = pair.ours.file.image("WAVELENGTH")->value;
  const std::vector<double>& b = pair.production.file.image("WAVELENGTH")->value;
  for (std::size_t w = 0; w < a.size(); ++w) {
    const double apart = std::abs(a[w] - b[w]);
    if (apart == 0) continue;
    Difference& difference =
        out.at("WAVELENGTH", "wavelength, Angstrom",
               apart <= wavelength_limit ? Reason::method : Reason::none, wavelength_limit);
    difference.count_value(apart);
    if (!difference.first)
      difference.first = Place{"WAVELENGTH", {}, static_cast<long long>(w), b[w]};
  }
}

PatchGrid make_grid(const PipelineFrame& ours, const FrameShape& shape, PairReport& report) {
  report.psf = find_psf(ours, report.files.production, report.files.camera, report.files.expid);
  try {
    return {ours, shape, report.psf};
  } catch (const Error&) {
    // Another camera's PSF or a damaged one tells nothing about the CCD.
    report.psf.clear();
    return {ours, shape, ""};
  }
}

void compare_files(PairReport& report, const Tolerance& tolerance) {
  const PipelineFrame ours = read_pipeline_frame(report.files.ours);
  const PipelineFrame production = read_pipeline_frame(report.files.production);
  check_origins(ours, production);
  report.extractor = fmt::format("{} {}", production.by_specter() ? "specter" : "gpu_specter",
                                 production.find("SPECTER").value_or("of unknown version"));
  report.desispec = production.version_of("desispec");
  Differences differences;
  const std::optional<FrameShape> shape = common_shape(ours, production, differences);
  compare_keywords(ours, production, differences);
  if (shape) {
    const PipelinePair pair{ours, production, *shape};
    const PatchGrid grid = make_grid(ours, *shape, report);
    compare_wavelengths(pair, differences);
    const BinStates states = find_bin_states(pair, grid, differences);
    report.spectra = compare_spectra(pair, grid, states, tolerance, differences);
    compare_masks(pair, grid, states, differences);
    compare_tables(pair, differences);
    report.looks_like = looks_like(pair, states, differences.sorted());
  }
  report.differences = differences.sorted();
}

}  // namespace

bool PairReport::ok() const {
  return is_pair() && error.empty() &&
         std::ranges::all_of(differences, [](const Difference& one) { return one.expected(); });
}

PairReport compare_pair(const ProductionPair& files, const Tolerance& tolerance) {
  PairReport report{.files = files};
  if (!report.is_pair()) return report;
  try {
    compare_files(report, tolerance);
  } catch (const Error& error) {
    report.error = error.what();
  }
  return report;
}

}  // namespace spex
