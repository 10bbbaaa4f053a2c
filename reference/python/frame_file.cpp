#include "reference/python/frame_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/core/all_finite.hpp"
#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"
#include "reference/fits/header_cards.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/frame/frame_keywords.hpp"
#include "reference/frame/production_paths.hpp"
#include "reference/frame/scores.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/write_frame.hpp"

namespace spex::python {
namespace {

// Moves to an image HDU and checks its axes (slowest first).
void move_to_image(FitsReader& file, const char* hdu, const std::vector<long long>& shape) {
  file.move_to_hdu(hdu);
  std::vector<long long> axes = file.image_axes();
  std::reverse(axes.begin(), axes.end());
  if (axes != shape)
    throw data_error(file.path(), fmt::format("{} has the shape {}", hdu, fmt::join(axes, " x ")),
                     fmt::format("{}", fmt::join(shape, " x ")));
}

std::vector<double> read_image(FitsReader& file, const char* hdu,
                               const std::vector<long long>& shape) {
  move_to_image(file, hdu, shape);
  return file.read_doubles();
}

// Reads the shapes of FLUX and RESOLUTION: fibers, bins and diagonals.
Frame read_shape(FitsReader& file) {
  file.move_to_hdu("FLUX");
  const std::vector<long long> bins = file.image_axes();
  if (bins.size() != 2 || bins[0] < 1 || bins[1] < 1)
    throw data_error(file.path(), fmt::format("FLUX has the shape {}", fmt::join(bins, " x ")),
                     "fibers x bins");
  file.move_to_hdu("RESOLUTION");
  const std::vector<long long> resolution = file.image_axes();
  if (resolution.size() != 3 || resolution[1] % 2 == 0)
    throw data_error(file.path(),
                     fmt::format("RESOLUTION has the shape {}", fmt::join(resolution, " x ")),
                     "fibers x diagonals, an odd number x bins");
  Frame frame;
  frame.nspec = static_cast<int>(bins[1]);
  frame.nwave = static_cast<int>(bins[0]);
  frame.ndiag = static_cast<int>(resolution[1] / 2);
  return frame;
}

// The wavelength step that the header states, else the step of the wavelengths.
double step_of(const Frame& frame, const std::vector<std::string>& cards, const std::string& file) {
  if (const auto stated = card_number(cards, "WAVESTEP", file)) return *stated;
  return frame.nwave < 2 ? 1 : (frame.wave.back() - frame.wave.front()) / (frame.nwave - 1);
}

void check_finite(const char* name, const std::vector<double>& values) {
  if (!all_finite(values))
    throw usage_error(name, "has a value that is not finite", "finite numbers");
}

// The same for numbers that are written as float32, unless in full precision.
void check_written(const char* name, const std::vector<double>& values, bool full_precision) {
  check_finite(name, values);
  if (!full_precision && !float_holds(values))
    throw usage_error(name, "has a value beyond float32", "at most 3.4e38, or full_precision=True");
}

}  // namespace

FrameOfFile read_frame_of_file(const std::string& path, bool checksums) {
  FitsReader file(path, {.checksums = checksums});
  FrameOfFile read;
  Frame& frame = read.frame;
  frame = read_shape(file);
  const std::vector<long long> bins{frame.nspec, frame.nwave};
  frame.wave = read_image(file, "WAVELENGTH", {frame.nwave});
  frame.flux = read_image(file, "FLUX", bins);
  frame.ivar = read_image(file, "IVAR", bins);
  frame.resolution =
      Reals(read_image(file, "RESOLUTION", {frame.nspec, frame.ndiagonals(), frame.nwave}));
  frame.chi2pix = read_image(file, "CHI2PIX", bins);
  move_to_image(file, "MASK", bins);
  frame.mask = file.read_bits();
  if (file.find_hdu("PIXMASK_FRACTION"))
    frame.pixmask_fraction = read_image(file, "PIXMASK_FRACTION", bins);
  if (file.find_hdu("F")) frame.f = read_image(file, "F", bins);
  if (file.find_hdu("FIBERMAP")) read.header.fibermap = read_fibermap(file);

  file.move_to_primary();
  read.header.cards = file.user_cards();
  const auto whole = [&](const char* key, long long otherwise) {
    return static_cast<int>(file.find_integer(key).value_or(otherwise));
  };
  frame.specmin = whole("SPECMIN", 0);
  frame.dw = step_of(frame, read.header.cards, path);
  read.camera = header_word(file.find_string("CAMERA").value_or(""));
  read.flux_solver = header_word(file.find_string("FLUXSOLV").value_or("patch"));
  read.spectra = file.find_string("SPECLIST").value_or("");
  read.nwavestep = whole("NWAVESTP", 0);
  read.heliocor = file.find_double("HELIOCOR").value_or(1);
  read.counts.patches = whole("NPATCH", 0);
  read.counts.guarded = whole("NGUARD", 0);
  read.counts.fell_back = whole("NFALLBCK", 0);
  read.counts.failed = whole("NFAILED", 0);
  read.counts.direct = whole("NDIRECT", 0);
  read.counts.overflowed = whole("NOVERFLW", 0);
  read.counts.beyond = whole("NBEYOND", 0);
  read.counts.pulled = whole("NPULLED", 0);
  read.counts.failed_fit = whole("NPSFFAIL", 0);
  read.counts.unfitted = whole("NPSFNFIT", 0);
  read.counts.tails = whole("NPSFTAIL", 0);
  read.counts.rejected_pixels = whole("NREJPIX", 0);
  read.counts.rejecting = whole("NREJPAT", 0);
  read.counts.reject_rounds = whole("NREJRND", 0);
  read.counts.dark = std::count(frame.ivar.begin(), frame.ivar.end(), 0.0);
  return read;
}

Header header_of(const FrameJob& job, const FrameInputs& inputs, const PatchCounts& counts) {
  const auto& [files, settings] = job;
  Header header;
  header.cards =
      header_cards(inputs.preproc.cards,
                   frame_keywords({settings.program, shorten_path(files.input, settings.roots),
                                   shorten_path(files.psf, settings.roots)},
                                  inputs, settings.options, counts));
  header.fibermap = inputs.preproc.fibermap;
  return header;
}

void write_frame_to_file(const std::string& path, Frame frame, const std::string& camera,
                         const Header& header, const WriteSettings& settings) {
  check_output(path);
  check_finite("wave", frame.wave);
  check_written("flux", frame.flux, settings.full_precision);
  check_written("ivar", frame.ivar, settings.full_precision);
  check_written("chi2pix", frame.chi2pix, settings.full_precision);
  check_finite("pixmask_fraction", frame.pixmask_fraction);
  check_written("f", frame.f, settings.full_precision);
  check_written("resolution", *frame.resolution.double_values(), settings.full_precision);
  if (settings.full_precision && frame.pixmask_fraction.empty())
    throw usage_error("full_precision", "the frame has no pixmask_fraction",
                      "full_precision=False, or a frame with one");
  frame.dw = step_of(frame, header.cards, path);
  FrameFileContent content;
  content.frame = &frame;
  content.camera = header_word(camera);
  content.cards = header.cards;
  content.fibermap = &header.fibermap;
  content.full_precision = settings.full_precision;
  std::optional<Scores> scores;
  if (settings.scores && !content.camera.empty()) {
    scores = compute_scores(frame, content.camera);
    check_finite("scores", scores->sum_raw_count);
    check_finite("scores", scores->median_raw_count);
    check_finite("scores", scores->median_raw_snr);
    content.scores = &*scores;
  }
  write_frame(path, content);
}

}  // namespace spex::python
