#include "reference/frame/frame_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/frame_flux.hpp"
#include "reference/extract/weights.hpp"
#include "reference/fits/file_forms.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/frame/cut_out.hpp"
#include "reference/frame/frame_job.hpp"
#include "reference/frame/frame_keywords.hpp"
#include "reference/frame/production_paths.hpp"
#include "reference/frame/read_pixels.hpp"
#include "reference/frame/scores.hpp"
#include "reference/io/check_arm.hpp"
#include "reference/io/fibermap_rows.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/io/write_frame.hpp"
#include "reference/layout/check_coverage.hpp"
#include "reference/model/camera.hpp"
#include "reference/model/milestones.hpp"
#include "reference/psf/gauss_hermite_tails.hpp"

namespace spex {

ExtractInputs FrameInputs::view(const ExtractOptions& options) const {
  return {&psf, &pixels, grid, options};
}

void check_output(const std::string& path) {
  check_writable(path);
  refuse_second_form(path);
  if (!path.ends_with(".fits") && !path.ends_with(".fits.gz"))
    throw data_error(path, "is not the name of a FITS file",
                     "a name that ends in .fits or .fits.gz");
}

namespace {

// Keeps the fibermap rows of the extracted spectra, in their order.
void select_rows(const FrameJob& job, FrameInputs& inputs) {
  const FrameOptions& options = job.settings.options;
  Fibermap& fibermap = inputs.preproc.fibermap;
  if (fibermap.fits.empty()) return;
  const std::string file = job.files.fibermap.value_or(job.files.input);
  const int nspec = options.nspec_of(inputs.psf.nfiber);
  inputs.fibermap_by_row = job.settings.fibermap_by_row;
  const std::vector<long long> rows =
      inputs.fibermap_by_row
          ? rows_of_places(fibermap, options.specmin, nspec, file)
          : rows_of_fibers(fibermap, first_fiber_of(inputs, options), nspec, file);
  fibermap = take_rows(std::move(fibermap), rows, file);
}

void check_kind(const Psf& psf, const ExtractOptions& options, const std::string& file) {
  const bool gauss_hermite =
      psf.kind == PsfKind::gauss_hermite || psf.kind == PsfKind::gauss_hermite_tails;
  if (gauss_hermite || traits(options.milestone).device == Device::cpu) return;
  throw data_error(file, fmt::format("is of the PSFTYPE {}", to_string(psf.kind)),
                   "GAUSS-HERMITE on a GPU; spex-cpu extracts the other kinds");
}

}  // namespace

void check_not_swapped(FitsReader& psf_file, const std::string& input) {
  if (psf_file.find_hdu("YTRACE") || !psf_file.find_hdu("IMAGE")) return;
  if (FitsReader(input).find_hdu("YTRACE"))
    throw data_error(input, fmt::format("is a PSF, and {} is an image", psf_file.path()),
                     "the reverse; the two files look swapped");
}

namespace {

struct Image {
  Preproc preproc;  // without the pixels
  Pixels pixels;
};

Image read_image(const FrameJob& job, WholeInflater* inflater) {
  const FrameSettings& settings = job.settings;
  FitsReader file(job.files.input,
                  preproc_options(settings.checksums, settings.read_threads, inflater));
  Image image;
  image.preproc =
      read_preproc_header(file, settings.no_mask ? MaskHdu::optional : MaskHdu::required);
  image.pixels = read_pixels(file, image.preproc, settings.options.mask_bits);
  return image;
}

// A file that is wrong in several ways has one message, with an inflater and without: the latter's.
Image read_image(const FrameJob& job) {
  if (job.settings.inflater != nullptr) {
    try {
      return read_image(job, job.settings.inflater);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
    }
  }
  return read_image(job, nullptr);
}

}  // namespace

FrameInputs read_frame_inputs(const FrameJob& job, StageTimes& times) {
  const FrameFiles& files = job.files;
  if (!files.fault.empty()) throw Error(ErrorKind::data, "", files.fault);
  check_output(files.output);
  if (files.model) check_output(*files.model);
  if (files.rejected) check_output(*files.rejected);
  Psf psf;
  Image image;
  {
    const StageTimer timer(times, Stage::read);
    const bool checksums = job.settings.checksums;
    FitsReader psf_file(files.psf, {.checksums = checksums});
    check_not_swapped(psf_file, files.input);
    psf = read_psf(psf_file);
    image = read_image(job);
    if (files.fibermap) image.preproc.fibermap = read_fibermap(*files.fibermap, checksums);
  }
  const StageTimer timer(times, Stage::convert);
  return make_frame_inputs(job, std::move(psf), std::move(image.preproc), std::move(image.pixels));
}

FrameInputs make_frame_inputs(const FrameJob& job, Psf psf, Preproc preproc) {
  Pixels pixels = make_pixels(std::move(preproc), job.settings.options.mask_bits);
  // NOLINTNEXTLINE(bugprone-use-after-move): only the arrays were moved
  return make_frame_inputs(job, std::move(psf), std::move(preproc), std::move(pixels));
}

FrameInputs make_frame_inputs(const FrameJob& job, Psf psf, Preproc preproc, Pixels pixels) {
  const FrameFiles& files = job.files;
  const FrameOptions& options = job.settings.options;
  FrameInputs inputs;
  inputs.psf = std::move(psf);
  inputs.preproc = std::move(preproc);
  inputs.pixels = std::move(pixels);
  // An image that names no camera is of the PSF's.
  if (inputs.preproc.camera.empty()) inputs.preproc.camera = inputs.psf.camera;
  if (!files.camera.empty() && inputs.preproc.camera != files.camera)
    throw data_error(files.input,
                     inputs.preproc.camera.empty()
                         ? "has no CAMERA"
                         : fmt::format("CAMERA is {}", inputs.preproc.camera),
                     files.camera);
  check_arm(inputs.psf, inputs.preproc.camera, files.psf);
  if (options.psf_tails == PsfTails::on) use_tails(inputs.psf, files.psf);
  check_kind(inputs.psf, options, files.psf);
  inputs.cut_out = part_of_ccd(options, inputs.preproc);
  if (inputs.cut_out) cut_out(inputs.psf, *inputs.cut_out);
  check_size(inputs.preproc, inputs.psf, inputs.cut_out, files.input);
  if (job.settings.psferr_by_arm)
    if (const ArmTraits* arm = arm_of_camera(inputs.preproc.camera))
      inputs.psf.psferr = arm->psferr;
  inputs.wavelength = wave_range_of(options.wavelength, inputs.preproc.camera, inputs.psf);
  inputs.heliocor = barycentric_factor_of(job.settings.barycentric, inputs.preproc, files.input);
  inputs.grid = at_telescope(make_wave_grid(inputs.wavelength), inputs.heliocor);
  inputs.patches = make_patches(options, inputs.grid, inputs.psf.nfiber);
  select_rows(job, inputs);
  check_coverage(inputs.psf, inputs.grid, inputs.patches, files.psf);
  check_spots(inputs.psf, inputs.grid, make_wave_grid(inputs.wavelength), inputs.patches,
              options.flux == FluxSolver::frame ? frame_bounds::max_beyond : 0, files.psf);
  return inputs;
}

long long first_fiber_of(const FrameInputs& inputs, const ExtractOptions& options) {
  return first_fiber(inputs.preproc.camera, inputs.psf.fibermin) + options.specmin;
}

int other_fibers(const FrameInputs& inputs, const ExtractOptions& options) {
  long long expected = first_fiber_of(inputs, options);
  int others = 0;
  for (const std::int64_t fiber : inputs.preproc.fibermap.fiber)
    others += fiber != expected++ ? 1 : 0;
  return others;
}

std::vector<Patch> share_of(const std::vector<Patch>& patches, const std::vector<int>& rank_of,
                            int rank) {
  std::vector<Patch> share;
  for (std::size_t p = 0; p < patches.size(); ++p)
    if (rank_of[p] == rank) share.push_back(patches[p]);
  return share;
}

namespace {

// Flux stays per Angstrom in the telescope's frame.
Frame with_stated_wavelengths(Frame frame, const FrameInputs& inputs) {
  const WaveGrid stated = make_wave_grid(inputs.wavelength);
  frame.dw = stated.dw;
  frame.wave = stated.range(0, frame.nwave);
  return frame;
}

}  // namespace

Frame frame_of(const FrameInputs& inputs, const ExtractOptions& options,
               const std::vector<PatchResult>& results) {
  return with_stated_wavelengths(assemble_frame(inputs.view(options), inputs.patches, results),
                                 inputs);
}

Frame frame_of(const FrameInputs& inputs, const ExtractOptions& options, Extracted& extracted) {
  return with_stated_wavelengths(take_frame(inputs.view(options), inputs.patches, extracted),
                                 inputs);
}

PatchCounts count_frame(const FrameInputs& inputs, const ExtractOptions& options,
                        const Frame& frame, const std::vector<PatchResult>& patches) {
  PatchCounts counts = count_patches_and_bins(frame, patches);
  counts.other_fibers = other_fibers(inputs, options);
  const int first = options.specmin, end = first + options.nspec_of(inputs.psf.nfiber);
  const auto extracted = [&](const std::vector<int>& fibers) {
    return static_cast<int>(
        std::ranges::count_if(fibers, [&](int s) { return s >= first && s < end; }));
  };
  counts.failed_fit = extracted(inputs.psf.fit.failed);
  counts.unfitted = extracted(inputs.psf.fit.unfitted);
  counts.tails = extracted(inputs.psf.fit.tails);
  return counts;
}

PatchCounts write_frame_outputs(const FrameJob& job, const FrameInputs& inputs, const Frame& frame,
                                const std::vector<PatchResult>& patches,
                                const PackedImage* resolution) {
  const auto& [files, settings] = job;
  const PatchCounts counts = count_frame(inputs, settings.options, frame, patches);
  FrameFileContent content;
  content.frame = &frame;
  content.camera = inputs.preproc.camera;
  content.cards = inputs.preproc.cards;
  content.keywords = frame_keywords({settings.program, shorten_path(files.input, settings.roots),
                                     shorten_path(files.psf, settings.roots)},
                                    inputs, settings.options, counts);
  content.fibermap = &inputs.preproc.fibermap;
  std::optional<Scores> scores;
  if (settings.scores && !content.camera.empty()) {
    scores = compute_scores(frame, content.camera, settings.write_threads);
    content.scores = &*scores;
  }
  content.full_precision = settings.full_precision;
  content.threads = settings.write_threads;
  content.compress_level = settings.compress_level;
  content.resolution = resolution;
  // Another run may have written them meanwhile.
  refuse_second_form(files.output);
  if (files.model) refuse_second_form(*files.model);
  if (files.rejected) refuse_second_form(*files.rejected);
  // Write the frame last: if the frame exists, all its companion files exist.
  if (files.model)
    write_model(*files.model, assemble_model(inputs.pixels.nx, inputs.pixels.ny, patches),
                content.cards, content.keywords, {settings.compress_level, settings.write_threads});
  if (files.rejected)
    write_rejected(*files.rejected, {inputs.pixels.nx, inputs.pixels.ny, rejected_pixels(patches)},
                   content.cards, content.keywords,
                   {settings.compress_level, settings.write_threads});
  write_frame(files.output, content);
  return counts;
}

}  // namespace spex
