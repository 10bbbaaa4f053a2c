#include "reference/sim/simulate.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fitsio.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "reference/core/count.hpp"
#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/core/progress.hpp"
#include "reference/frame/frame_warnings.hpp"
#include "reference/io/check_arm.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/psf/move_spots.hpp"
#include "reference/sim/desi_psf.hpp"
#include "reference/sim/expected_image.hpp"
#include "reference/sim/keywords.hpp"
#include "reference/sim/outputs.hpp"
#include "reference/sim/random.hpp"
#include "reference/sim/read_spectra.hpp"
#include "reference/sim/write_files.hpp"

namespace spex {
namespace {

namespace fs = std::filesystem;

// Maximal number of frames simulated at once; each takes 0.6 GB.
constexpr int max_side_by_side = 8;

void make_folder(const std::string& folder) {
  std::error_code code;
  if (fs::is_directory(folder, code)) return;
  if (fs::exists(folder, code)) throw data_error(folder, "is a file", "a folder");
  if (!fs::create_directory(folder, code))
    throw data_error(folder, "cannot be created: " + code.message(),
                     "a folder whose parent exists");
}

// The options of exposure number `index` alone.
SimOptions exposure_of(const SimOptions& options, int index) {
  SimOptions one = options;
  one.expid += index;
  one.exposures = 1;
  return one;
}

// Warns of fits that failed and of tails: the simulated PSF takes the spots as they are, without
// tails.
Psf psf_from_file(const std::string& path, const Camera& camera) {
  Psf psf = read_psf(path);
  check_arm(psf, camera.name(), path);
  if (psf.kind != PsfKind::gauss_hermite)
    throw data_error(path, fmt::format("is of the PSFTYPE {}", to_string(psf.kind)),
                     "GAUSS-HERMITE, which spex-sim writes; spexbench.project takes any kind");
  const PatchCounts counts{.failed_fit = static_cast<int>(psf.fit.failed.size()),
                           .unfitted = static_cast<int>(psf.fit.unfitted.size()),
                           .tails = static_cast<int>(psf.fit.tails.size())};
  for (const std::string& line : warnings_of(counts)) spdlog::warn("{}: {}", path, line);
  psf.in_psf = fs::path(path).filename().string();
  psf.fibermin = camera.fibermin();
  return psf;
}

// The shift of an exposure's spots, by as much as DESI shifts the PSF for each exposure.
SpotShift draw_shift(const SimOptions& options, const Camera& camera) {
  Random random(Stream::shift,
                {options.seed, key_of(camera.name()), static_cast<std::uint64_t>(options.expid)});
  SpotShift shift;
  for (double* const axis : {&shift.x, &shift.y})
    *axis = random.uniform(-options.psf_shift, options.psf_shift);
  return shift;
}

// `index` is the exposure's, from 0.
void write_frame_files(const SimOptions& options, const Camera& camera, const SimFrame& frame,
                       int index) {
  const std::vector<HeaderKeyword> origin = origin_keywords(options);
  const auto write = [&](const char* kind, const auto& write_to) {
    const std::string path = output_name(options, kind, camera);
    write_to(path);
    remove_other_forms(path);
  };
  if (options.files != SimFiles::inputs)
    write("truth",
          [&](const std::string& path) { write_truth(path, frame.truth, frame.cosmics, origin); });
  if (options.files == SimFiles::truth) return;
  write("psf", [&](const std::string& path) {
    write_psf(path, frame.psf, camera.name(), frame.shift, origin);
  });
  write("preproc", [&](const std::string& path) {
    write_preproc(path, frame.ccd, frame.targets,
                  image_keywords(options, camera, index, frame.ccd.nx, frame.ccd.ny),
                  options.flavor, {options.compress_level, options.threads});
  });
}

}  // namespace

SimFrame simulate_camera(const SimOptions& options, const Camera& camera, const Psf& psf,
                         const std::string& psf_name, const GivenSpectra* spectra) {
  const WaveRange grid = default_wave_range(camera.name(), psf_name);
  SimFrame frame;
  frame.psf = cut_psf(psf, options.size, grid, psf_name);
  if (options.psf_shift > 0) {
    frame.shift = draw_shift(options, camera);
    move_spots(frame.psf, frame.shift.x, frame.shift.y);
  }
  frame.truth = spectra == nullptr
                    ? make_truth_grid(frame.psf, grid, options.on_grid, psf_name)
                    : spectra_for(frame.psf, *spectra, grid, options.on_grid, *options.spectra);
  frame.targets = make_targets(options.seed, camera.fibermin(), frame.psf.nfiber);
  if (options.flavor == Flavor::sky)
    for (Target& target : frame.targets) target.kind = TargetKind::sky;
  if (spectra == nullptr)
    fill_spectra(frame.truth, {camera, options.seed, options.exptime, options.flavor},
                 frame.targets, options.threads);
  const ExposureKey key{options.seed, static_cast<std::uint64_t>(options.expid), camera};
  const int nx = frame.psf.npix_x, ny = frame.psf.npix_y;
  frame.cosmics = make_cosmics(nx, ny, key, options.cosmics);
  if (options.files == SimFiles::truth) return frame;
  const ExpectedImage expected{nx, ny, expected_image(frame.psf, frame.truth, options.threads)};
  frame.ccd = expose(expected, key, frame.cosmics, options.ivar, options.threads);
  return frame;
}

void simulate(const SimOptions& options) {
  check_options(options);
  std::optional<Psf> given;
  if (options.psf) given = psf_from_file(*options.psf, options.cameras.front());
  std::optional<GivenSpectra> spectra;
  if (options.spectra) spectra = read_spectra(*options.spectra);
  make_folder(options.folder);
  for (int index = 0; index < options.exposures; ++index)
    check_outputs(exposure_of(options, index));
  Progress progress("simulate", "frames",
                    static_cast<long>(options.cameras.size()) * options.exposures,
                    options.show_progress);
  // Simulate several frames at once, each on more threads than its share, because parts of a frame
  // are single-threaded.
  const int frames = static_cast<int>(options.cameras.size()) * options.exposures;
  const int most = fits_is_reentrant() == 0 ? 1 : std::min(options.threads, max_side_by_side);
  const int side_by_side = threads_used(most, frames);
  parallel_for(side_by_side, frames, [&](int /*thread*/, int k) {
    const Camera& camera = options.cameras[k / options.exposures];
    const int index = k % options.exposures;
    const Psf psf = given ? *given : make_desi_psf(camera);
    SimOptions one = exposure_of(options, index);
    one.threads = std::min(options.threads, 2 * options.threads / side_by_side);
    const SimFrame frame =
        simulate_camera(one, camera, psf, options.psf.value_or("PSF of " + camera.name()),
                        spectra ? &*spectra : nullptr);
    write_frame_files(one, camera, frame, index);
    progress.advance();
  });
}

}  // namespace spex
