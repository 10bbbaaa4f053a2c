#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "reference/astrometry/earth_orientation.hpp"
#include "reference/core/parallel.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/frame/frame_warnings.hpp"
#include "reference/frame/patch_extractor.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/python/arrays.hpp"
#include "reference/python/bindings.hpp"
#include "reference/python/extraction.hpp"
#include "reference/python/frame_arrays.hpp"
#include "reference/python/pickle.hpp"
#include "reference/python/without_gil.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spex::python {
namespace {

// Results of all patches, kept until they are converted to arrays or written to a file.
struct Results {
  std::vector<PatchResult> of_patches;
};

// Selects the frames to correct and the factor, as on the command line.
BarycentricSettings make_barycentric(bool all, bool by_obstype, std::optional<double> heliocor,
                                     const std::optional<std::string>& iers) {
  BarycentricSettings settings;
  if (all && by_obstype)
    throw usage_error("barycentric_correction", "and barycentric_by_obstype", "one of them");
  settings.frames = all          ? BarycentricFrames::all
                    : by_obstype ? BarycentricFrames::of_sky
                                 : BarycentricFrames::none;
  const bool corrects = settings.frames != BarycentricFrames::none;
  if ((heliocor || iers) && !corrects)
    throw usage_error(heliocor ? "heliocor" : "iers", "requires a barycentric correction",
                      "barycentric_correction or barycentric_by_obstype");
  if (heliocor && iers)
    throw usage_error("iers", "cannot be combined with heliocor, which sets the factor",
                      "one of them");
  if (heliocor && !(std::abs(*heliocor - 1) <= 1e-3))
    throw usage_error("heliocor", fmt::format("{:g} is not a wavelength factor", *heliocor),
                      "barycentric / observed wavelength, such as 1.00006");
  settings.heliocor = heliocor;
  if (iers) settings.earth = std::make_shared<EarthOrientationTable>(read_earth_orientation(*iers));
  return settings;
}

FrameJob make_job(const FrameOptions& options, BarycentricSettings barycentric,
                  const std::string& image, const std::string& psf,
                  const std::optional<std::string>& output, const std::optional<std::string>& model,
                  const std::optional<std::string>& rejected, bool scores, bool full_precision,
                  bool fibermap_by_row) {
  FrameJob job;
  job.files.input = image;
  job.files.psf = psf;
  job.files.output = output.value_or("");
  job.files.model = model;
  job.files.rejected = rejected;
  job.settings.program = "spexbench";
  job.settings.scores = scores;
  job.settings.full_precision = full_precision;
  job.settings.fibermap_by_row = fibermap_by_row;
  job.settings.options = options;
  job.settings.barycentric = std::move(barycentric);
  return job;
}

// COSMIC at the places of rejected pixels.
std::vector<std::uint8_t> mask_of_rejected(std::size_t npixel,
                                           const std::vector<std::uint32_t>& places) {
  std::vector<std::uint8_t> mask(npixel, 0);
  for (const std::uint32_t place : places) mask[place] = ccdmask::COSMIC;
  return mask;
}

// Counts patches, stops the work on KeyboardInterrupt or at `stop`, and calls progress(done, total)
// in the calling thread, which works on patches too. Python handles signals there.
class Watch {
 public:
  Watch(const StopFlag& stop, nb::handle progress, long total)
      : stop_(stop), progress_(progress), total_(total) {}

  // After some patches, in any thread.
  void done(long patches) {
    done_ += patches;
    stop_.check(caller_);
    if (std::this_thread::get_id() == caller_) report();
  }

  // After all patches, in the calling thread. Other threads may have done the last ones.
  void end() {
    if (reported_ != done_) report();
  }

 private:
  void report() {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    reported_ = done_;
    if (!progress_.is_none()) progress_(reported_, total_);
  }

  const StopFlag& stop_;
  nb::handle progress_;
  long total_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<long> done_ = 0;
  long reported_ = 0;
};

Share extract(const Extraction& extraction, const Extractor& extractor, int rank, int ranks,
              const StopFlag& stop, const nb::object& progress) {
  stop.check(std::this_thread::get_id());
  Watch watch(stop, progress, static_cast<long>(extraction.patches().size()));
  const WithoutGil released;
  Share share = extraction.extract(extractor.extract, rank, ranks,
                                   [&watch](long patches) { watch.done(patches); });
  watch.end();
  return share;
}

nb::dict arrays_of(const Extraction& extraction, const Results& results, bool model) {
  Frame frame;
  ModelImage image;
  {
    const WithoutGil released;
    frame = extraction.assemble(results.of_patches);
    const Pixels& pixels = extraction.inputs().pixels;
    if (model) image = assemble_model(pixels.nx, pixels.ny, results.of_patches);
  }
  const PatchCounts counts =
      count_frame(extraction.inputs(), extraction.options(), frame, results.of_patches);
  nb::dict of;
  put_frame(of, std::move(frame));
  put_counts(of, counts);
  of["model"] =
      model ? nb::cast(as_array(std::move(image.value), {static_cast<std::size_t>(image.ny),
                                                         static_cast<std::size_t>(image.nx)}))
            : nb::none();
  const auto nx = static_cast<std::size_t>(extraction.inputs().pixels.nx);
  const auto ny = static_cast<std::size_t>(extraction.inputs().pixels.ny);
  of["rejected"] = nb::none();
  if (extraction.options().reject_pixels)
    of["rejected"] =
        as_array(mask_of_rejected(nx * ny, rejected_pixels(results.of_patches)), {ny, nx});
  of["header"] = nb::cast(extraction.header(counts));
  of["heliocor"] = extraction.inputs().heliocor;
  of["warnings"] = nb::cast(warnings_of(counts));
  return of;
}

}  // namespace

void bind_extraction(nb::module_& module) {
  const nb::class_<Extractor> extractor(module, "Extractor",
                                        "Extracts patches by threads or on a GPU.");
  module.def(
      "cpu_extractor", [](int threads) { return Extractor{cpu_extractor(threads)}; }, "threads"_a,
      "The CPU reference on this number of threads.");
  module.def("default_threads", &default_threads, "The CPUs that this process may run on.");

  const nb::class_<BarycentricSettings> barycentric_settings(
      module, "Barycentric", "Selects frames for the barycentric correction and their factor.");
  module.def("make_barycentric", &make_barycentric, "all"_a = false, "by_obstype"_a = false,
             "heliocor"_a.none() = nb::none(), "iers"_a.none() = nb::none(),
             "By default no frame is corrected. Raises UsageError, DataError.");

  nb::class_<Share>(module, "Share", "Results of one rank's patches; may be pickled.")
      .def("__getstate__",
           [](const Share& share) { return nb::make_tuple(as_bytes(to_message(share))); })
      .def("__setstate__", [](Share& share, const nb::tuple& state) {
        new (&share) Share(from_message(text_of(state[0])));
      });
  const nb::class_<Results> results(module, "Results", "Results of all patches of a frame.");

  nb::class_<Extraction>(module, "Extraction", "A frame with its inputs checked, and its patches.")
      .def(
          "__init__",
          [](Extraction* self, const FrameOptions& options, const BarycentricSettings& barycentric,
             const Psf& psf, Preproc& preproc, bool take, const std::string& image_name,
             const std::string& psf_name, const std::optional<std::string>& output,
             const std::optional<std::string>& model, const std::optional<std::string>& rejected,
             bool scores, bool full_precision, bool fibermap_by_row) {
            const WithoutGil released;
            new (self)
                Extraction(make_job(options, barycentric, image_name, psf_name, output, model,
                                    rejected, scores, full_precision, fibermap_by_row),
                           psf, take ? std::move(preproc) : Preproc(preproc));
          },
          nb::kw_only(), "options"_a, "barycentric"_a, "psf"_a, "preproc"_a, "take"_a,
          "image_name"_a, "psf_name"_a, "output"_a.none() = nb::none(),
          "model"_a.none() = nb::none(), "rejected"_a.none() = nb::none(), "scores"_a = true,
          "full_precision"_a = false, "fibermap_by_row"_a = false,
          "`take` takes the pixels of `preproc` over, which is then of no more use; else they are "
          "copied. Raises UsageError, DataError.")
      .def_prop_ro(
          "npatches", [](const Extraction& e) { return e.patches().size(); },
          "patches of the frame")
      .def("extract", &extract, "extractor"_a, "rank"_a, "ranks"_a, "stop"_a,
           "progress"_a.none() = nb::none(),
           "The patches of one of `ranks` ranks. Without the GIL; stops at KeyboardInterrupt and "
           "where asked to. Calls progress(patches done, patches), if there is one, in this "
           "thread; the last call has all patches of the rank. Raises StoppedError.")
      .def(
          "put_together",
          [](const Extraction& e, const std::vector<Share*>& shares) {
            std::vector<Share> all;
            for (Share* share : shares) all.push_back(std::move(*share));
            return Results{e.put_together(std::move(all))};
          },
          "shares"_a, "All results, from the shares of all ranks, which are taken over.")
      .def("arrays", &arrays_of, "results"_a, "model"_a,
           "The frame as a dictionary of NumPy arrays, of counts of patches and of its header.")
      .def(
          "write", [](const Extraction& e, const Results& r) { e.write(r.of_patches); },
          nb::call_guard<WithoutGil>(), "results"_a,
          "Writes the output as the programs do. Raises DataError.");
}

}  // namespace spex::python
