#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "reference/core/choose.hpp"
#include "reference/model/options.hpp"
#include "reference/python/bindings.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spex::python {
namespace {

ExtractOptions make_options(std::optional<std::tuple<double, double, double>> wavelength,
                            int specmin, std::optional<int> nspec, double regularize,
                            int bundlesize, std::optional<int> nsubbundles, int nwavestep,
                            int wavepad, double pixpad_frac, double wavepad_frac,
                            std::optional<double> psferr, std::optional<std::uint32_t> mask_bits,
                            bool model, const std::optional<std::string>& method,
                            const std::string& decorrelate, const std::string& flux,
                            const std::string& chi2_pixels, const std::string& bad2dfit,
                            const std::optional<std::string>& milestone, bool gpu) {
  ExtractOptions o;
  if (wavelength) {
    const auto [wmin, wmax, dw] = *wavelength;
    o.wavelength = WaveRange{wmin, wmax, dw};
  }
  o.specmin = specmin;
  o.nspec = nspec;
  o.regularize = regularize;
  o.bundlesize = bundlesize;
  o.nwavestep = nwavestep;
  o.wavepad = wavepad;
  o.pixpad_frac = pixpad_frac;
  o.wavepad_frac = wavepad_frac;
  o.psferr = psferr;
  o.mask_bits = mask_bits.value_or(o.mask_bits);
  o.model = model;
  o.decorrelate =
      choose<Decorrelate>("decorrelate", decorrelate, {Decorrelate::signal, Decorrelate::noise});
  o.flux = choose<FluxSolver>("flux", flux, {FluxSolver::patch, FluxSolver::frame});
  o.chi2_pixels =
      choose<Chi2Pixels>("chi2_pixels", chi2_pixels, {Chi2Pixels::weighted, Chi2Pixels::bright});
  o.bad2dfit = choose<Bad2dFit>("bad2dfit", bad2dfit, {Bad2dFit::relative, Bad2dFit::chi2});
  // CPU milestones support both methods; a GPU milestone implies its method.
  const Device device = gpu ? Device::gpu : Device::cpu;
  o.milestone = milestone ? choose("milestone", *milestone, milestones_of(device))
                          : default_milestone(device);
  o.nsubbundles = nsubbundles.value_or(traits(o.milestone).nsubbundles);
  o.method = traits(o.milestone).method;
  if (method) {
    const auto asked = choose<Method>("method", *method, {Method::eigh, Method::cholesky});
    if (gpu && asked != o.method)
      throw usage_error("method",
                        to_string(asked) + " is not the method of " + to_string(o.milestone),
                        to_string(o.method) + ", or a milestone of the other method");
    o.method = asked;
  }
  if (gpu && o.flux == FluxSolver::frame &&
      (!traits(o.milestone).solves_frame || o.decorrelate == Decorrelate::noise))
    throw usage_error("flux", "frame is not supported by " + to_string(o.milestone),
                      "direct or pipeline with signal, or gpu=False");
  return o;
}

}  // namespace

void bind_options(nb::module_& module) {
  nb::class_<ExtractOptions>(module, "Options", "Extraction options.")
      .def_prop_ro(
          "method", [](const ExtractOptions& o) { return to_string(o.method); }, "eigh or cholesky")
      .def_prop_ro(
          "milestone", [](const ExtractOptions& o) { return to_string(o.milestone); },
          "the milestone")
      .def_prop_ro(
          "flux", [](const ExtractOptions& o) { return to_string(o.flux); }, "patch or frame")
      .def_ro("nwavestep", &ExtractOptions::nwavestep, "core bins of a patch");
  const ExtractOptions defaults;
  module.def(
      "make_options", &make_options, nb::kw_only(), "wavelength"_a.none() = nb::none(),
      "specmin"_a = defaults.specmin, "nspec"_a.none() = nb::none(),
      "regularize"_a = defaults.regularize, "bundlesize"_a = defaults.bundlesize,
      "nsubbundles"_a.none() = nb::none(), "nwavestep"_a = defaults.nwavestep,
      "wavepad"_a = defaults.wavepad, "pixpad_frac"_a = defaults.pixpad_frac,
      "wavepad_frac"_a = defaults.wavepad_frac, "psferr"_a.none() = nb::none(),
      "mask_bits"_a.none() = nb::none(), "model"_a = defaults.model, "method"_a.none() = nb::none(),
      "decorrelate"_a = to_string(defaults.decorrelate), "flux"_a = to_string(defaults.flux),
      "chi2_pixels"_a = to_string(defaults.chi2_pixels),
      "bad2dfit"_a = to_string(defaults.bad2dfit), "milestone"_a.none() = nb::none(),
      "gpu"_a = false,
      "Options with the names and defaults of the command line (docs/command-line.md). Raises "
      "UsageError for an unknown method, decorrelation, flux or milestone.");
}

}  // namespace spex::python
