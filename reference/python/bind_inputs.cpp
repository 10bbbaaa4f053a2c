#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "reference/core/all_finite.hpp"
#include "reference/core/header_word.hpp"
#include "reference/core/parallel.hpp"
#include "reference/fits/file_forms.hpp"
#include "reference/fits/header_cards.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/same_file.hpp"
#include "reference/frame/frame_steps.hpp"
#include "reference/io/psf_fit.hpp"
#include "reference/io/psf_kind.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/io/write_frame.hpp"
#include "reference/model/message.hpp"
#include "reference/model/options.hpp"
#include "reference/psf/gauss_hermite_tails.hpp"
#include "reference/python/arrays.hpp"
#include "reference/python/bindings.hpp"
#include "reference/python/pickle.hpp"
#include "reference/python/without_gil.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spex::python {
namespace {

std::size_t size(int n) {
  return static_cast<std::size_t>(n);
}

void check_least(const char* name, int value, int least) {
  if (value < least)
    throw usage_error(std::string("psf: ") + name, std::to_string(value),
                      fmt::format("at least {}", least));
}

std::vector<double> coefficients(const AnyArray& array, const std::string& name) {
  std::vector<double> values = values_of<double>(array, name);
  if (!all_finite(values))
    throw usage_error(name, "has a coefficient that is not finite", "finite numbers");
  return values;
}

Trace make_trace(const AnyArray& array, const std::string& name, double wavemin, double wavemax) {
  if (array.ndim() != 2 || array.size() == 0)
    throw usage_error(name, fmt::format("has {} axes", array.ndim()), "fibers x coefficients");
  if (!(std::isfinite(wavemin) && std::isfinite(wavemax) && wavemin < wavemax))
    throw usage_error(name, fmt::format("WAVEMIN = {:g}, WAVEMAX = {:g}", wavemin, wavemax),
                      "WAVEMIN < WAVEMAX");
  return {wavemin, wavemax, static_cast<int>(array.shape(1)), coefficients(array, name)};
}

// Builds the PSF that read_psf would return, from gpu_specter's tables.
Psf make_psf(const AnyArray& x, const AnyArray& y, const AnyArray& param, double wavemin_x,
             double wavemax_x, double wavemin_y, double wavemax_y, double wavemin, double wavemax,
             int hsizex, int hsizey, int ghdegx, int ghdegy, int npix_x, int npix_y, double psferr,
             const std::string& camera, const std::optional<std::string>& psftype,
             const std::optional<std::string>& psfver, const std::map<std::string, AnyArray>& rows,
             const std::map<std::string, double>& keywords) {
  check_psf_kind("psf", "PSF", psftype, psfver);
  check_least("HSIZEX", hsizex, 1);
  check_least("HSIZEY", hsizey, 1);
  check_least("GHDEGX", ghdegx, 0);
  check_least("GHDEGY", ghdegy, 0);
  check_least("NPIX_X", npix_x, 1);
  check_least("NPIX_Y", npix_y, 1);
  if (!(std::isfinite(psferr) && psferr >= 0))
    throw usage_error("psf: PSFERR", fmt::format("{:g}", psferr), "a number >= 0");
  Psf psf;
  psf.hsizex = hsizex;
  psf.hsizey = hsizey;
  psf.ghdegx = ghdegx;
  psf.ghdegy = ghdegy;
  psf.npix_x = npix_x;
  psf.npix_y = npix_y;
  psf.psferr = psferr;
  psf.xtrace = make_trace(x, "psf: XTRACE", wavemin_x, wavemax_x);
  psf.ytrace = make_trace(y, "psf: YTRACE", wavemin_y, wavemax_y);
  psf.nfiber = static_cast<int>(x.shape(0));
  check_shape(y, "psf: YTRACE", {size(psf.nfiber), y.shape(1)});
  if (param.ndim() != 3 || param.size() == 0)
    throw usage_error("psf: COEFF", fmt::format("has {} axes", param.ndim()),
                      "parameters x fibers x coefficients");
  psf.ncoeff = static_cast<int>(param.shape(2));
  check_shape(param, "psf: COEFF", {size(psf.nparam()), size(psf.nfiber), size(psf.ncoeff)});
  psf.wavemin = wavemin;
  psf.wavemax = wavemax;
  if (!(std::isfinite(wavemin) && std::isfinite(wavemax) && wavemin < wavemax))
    throw usage_error("psf: PSF", fmt::format("WAVEMIN = {:g}, WAVEMAX = {:g}", wavemin, wavemax),
                      "WAVEMIN < WAVEMAX");
  psf.param = coefficients(param, "psf: COEFF");
  psf.camera = header_word(camera);
  const PsfHdu hdu{
      [&](const std::string& row) -> std::optional<std::vector<double>> {
        const auto found = rows.find(row);
        if (found == rows.end()) return std::nullopt;
        check_shape(found->second, "psf: " + row, {size(psf.nfiber), size(psf.ncoeff)});
        return values_of<double>(found->second, "psf: " + row);
      },
      [&](const std::string& key) -> std::optional<double> {
        const auto found = keywords.find(key);
        if (found == keywords.end()) return std::nullopt;
        return found->second;
      }};
  psf.fit = psf_fit_of(hdu, psf.nfiber, psf.ncoeff);
  if (!psf.fit.tails.empty()) psf.tail = tail_of(hdu);
  return psf;
}

// `fibermap` is a FITS file with the table FIBERMAP, or empty.
Preproc make_preproc(const AnyArray& image, const AnyArray& ivar, std::optional<AnyArray> mask,
                     const std::string& camera, const std::vector<std::string>& cards,
                     const nb::bytes& fibermap, const std::optional<std::pair<int, int>>& first) {
  if (image.ndim() != 2)
    throw usage_error("image", fmt::format("has {} axes", image.ndim()), "rows x columns");
  const std::size_t ny = image.shape(0), nx = image.shape(1);
  check_shape(ivar, "ivar", {ny, nx});
  Preproc preproc;
  preproc.nx = static_cast<int>(nx);
  preproc.ny = static_cast<int>(ny);
  preproc.image = reals_of(image, "image");
  preproc.ivar = reals_of(ivar, "ivar");
  if (mask) {
    check_shape(*mask, "mask", {ny, nx});
    preproc.mask = values_of<std::uint32_t>(*mask, "mask");
  } else {
    preproc.has_mask = false;
    preproc.mask.assign(ny * nx, 0);
  }
  preproc.camera = header_word(camera);
  if (first) preproc.first = FirstPixel{first->first, first->second};
  std::vector<HeaderKeyword> keywords;
  if (has_card(cards, "CAMERA") && card_text(cards, "CAMERA") != preproc.camera)
    keywords.push_back({"CAMERA", preproc.camera, ""});
  if (!cards.empty()) preproc.cards = header_cards(cards, keywords);
  if (fibermap.size() > 0) {
    FitsReader file(std::span(fibermap.c_str(), fibermap.size()), "fibermap", {.checksums = false});
    preproc.fibermap = read_fibermap(file);
  }
  return preproc;
}

// IMAGE or IVAR as a view, in the precision of the file.
nb::object pixels(nb::handle self, const Reals& values) {
  const auto& preproc = nb::cast<const Preproc&>(self);
  return values.visit([&](const auto& vector) {
    return nb::cast(as_view(vector, {size(preproc.ny), size(preproc.nx)}, self));
  });
}

void bind_psf_files(nb::module_& module) {
  nb::class_<Psf>(module, "Psf", "The PSF of a camera; use read_psf for a file.")
      .def(nb::init<const Psf&>(), "psf"_a, "A copy.")
      .def_prop_ro(
          "kind", [](const Psf& psf) { return to_string(psf.kind); },
          "PSFTYPE of the file, such as \"GAUSS-HERMITE\"")
      .def_ro("nfiber", &Psf::nfiber, "number of fibers")
      .def_ro("camera", &Psf::camera, "such as \"r0\"; empty if the file does not state it")
      .def_ro("hsizex", &Psf::hsizex, "a spot has 2 hsizex + 1 columns")
      .def_ro("hsizey", &Psf::hsizey, "and 2 hsizey + 1 rows")
      .def_ro("npix_x", &Psf::npix_x, "columns of the CCD")
      .def_ro("npix_y", &Psf::npix_y, "rows of the CCD")
      .def_ro("psferr", &Psf::psferr, "fractional error of the model")
      .def_ro("wavemin", &Psf::wavemin, "Angstrom, of the parameters")
      .def_ro("wavemax", &Psf::wavemax, "Angstrom")
      .def_prop_ro(
          "ndiag", [](const Psf& psf) { return FrameOptions().ndiag_of(psf.hsizey); },
          "diagonals of R on either side of the main one")
      .def("__repr__",
           [](const Psf& psf) {
             return fmt::format("<Psf {}: {} fibers, CCD of {} x {} pixels, {:g} to {:g} Angstrom>",
                                psf.camera.empty() ? "of no camera" : psf.camera, psf.nfiber,
                                psf.npix_y, psf.npix_x, psf.wavemin, psf.wavemax);
           })
      .def("__getstate__",
           [](const Psf& psf) { return nb::make_tuple(as_bytes(message::pack(psf))); })
      .def("__setstate__", [](Psf& psf, const nb::tuple& state) {
        new (&psf) Psf(message::unpack<Psf>(text_of(state[0])));
      });
  module.def("read_psf", nb::overload_cast<const std::string&, bool>(&read_psf), "path"_a,
             "checksums"_a, nb::call_guard<WithoutGil>(),
             "Reads a file psf-CAMERA-EXPID.fits. Raises DataError.");
  module.def(
      "psf_with_tails",
      [](Psf psf) {
        use_tails(psf, "psf");
        return psf;
      },
      "psf"_a, "A copy whose spots have the tails of its rows TAIL*. Raises DataError.");
  module.def("make_psf", &make_psf, nb::kw_only(), "x"_a, "y"_a, "param"_a, "wavemin_x"_a,
             "wavemax_x"_a, "wavemin_y"_a, "wavemax_y"_a, "wavemin"_a, "wavemax"_a, "hsizex"_a,
             "hsizey"_a, "ghdegx"_a, "ghdegy"_a, "npix_x"_a, "npix_y"_a, "psferr"_a, "camera"_a,
             "psftype"_a.none(), "psfver"_a.none(), "rows"_a, "keywords"_a,
             "A Psf from float64 arrays: coefficients of X and Y [nfiber, ncoeff], and of GHSIGX, "
             "GHSIGY and GH-i-j [nparam, nfiber, ncoeff]; `rows` and `keywords` describe its fit. "
             "Raises UsageError, DataError.");
}

void bind_files(nb::module_& module) {
  module.def("find_form", &find_form, "path"_a,
             "The path, or its other form (.fits, .fits.gz, .fits.fz) if only that exists. Raises "
             "DataError if two other forms exist.");
  module.def(
      "refuse_swapped",
      [](const std::string& psf, const std::string& image) {
        FitsReader file(psf, {.checksums = false});
        check_not_swapped(file, image);
      },
      "psf"_a, "image"_a, nb::call_guard<WithoutGil>(),
      "Raises DataError if the PSF's file is an image and the image's a PSF.");
  module.def("refuse_overwriting", &refuse_overwriting, "written"_a, "read"_a,
             "Raises UsageError if an output is also an input or another output.");
}

void bind_preproc(nb::module_& module) {
  nb::class_<Preproc>(module, "Preproc", "A preprocessed CCD image; use read_preproc for a file.")
      .def_ro("nx", &Preproc::nx, "columns")
      .def_ro("ny", &Preproc::ny, "rows")
      .def_ro("camera", &Preproc::camera, "\"r0\", say")
      .def_prop_ro(
          "first",
          [](const Preproc& preproc) -> std::optional<std::pair<int, int>> {
            if (!preproc.first) return std::nullopt;
            return std::pair{preproc.first->x, preproc.first->y};
          },
          "column and row of the CCD of the first pixel of a cut-out by specter; else None")
      .def_ro("cards", &Preproc::cards, "header of IMAGE, 80 characters each")
      .def_prop_ro(
          "image",
          [](nb::handle self) { return pixels(self, nb::cast<const Preproc&>(self).image); },
          nb::sig("def image(self) -> numpy.typing.NDArray"), "electron [ny, nx], a read-only view")
      .def_prop_ro(
          "ivar", [](nb::handle self) { return pixels(self, nb::cast<const Preproc&>(self).ivar); },
          nb::sig("def ivar(self) -> numpy.typing.NDArray"), "electron^-2 [ny, nx], likewise")
      .def_prop_ro(
          "mask",
          [](nb::handle self) {
            const auto& preproc = nb::cast<const Preproc&>(self);
            return nb::cast(as_view(preproc.mask, {size(preproc.ny), size(preproc.nx)}, self));
          },
          nb::sig("def mask(self) -> numpy.typing.NDArray[numpy.uint32]"),
          "bits of docs/extraction.md, section 1 [ny, nx], likewise")
      .def_ro("has_mask", &Preproc::has_mask, "False: there is no mask, and all pixels are good")
      .def_prop_ro(
          "fiber", [](const Preproc& preproc) { return preproc.fibermap.fiber; },
          "FIBER of the fibermap; empty if there is none")
      .def_prop_ro(
          "fibermap",
          [](const Preproc& preproc) {
            const std::vector<char>& fits = preproc.fibermap.fits;
            return nb::bytes(fits.data(), fits.size());
          },
          "a FITS file with the table FIBERMAP; empty if there is none")
      .def("__repr__",
           [](const Preproc& preproc) {
             return fmt::format("<Preproc {}: {} x {} pixels{}>",
                                preproc.camera.empty() ? "of no camera" : preproc.camera,
                                preproc.ny, preproc.nx,
                                preproc.fibermap.fiber.empty()
                                    ? ""
                                    : fmt::format(", {} fibers", preproc.fibermap.fiber.size()));
           })
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(
            nb::module_::import_("spexbench._inputs").attr("unpickled"),
            nb::make_tuple(self.attr("image"), self.attr("ivar"),
                           nb::cast<const Preproc&>(self).has_mask ? nb::object(self.attr("mask"))
                                                                   : nb::none(),
                           self.attr("camera"), self.attr("cards"), self.attr("fibermap"),
                           self.attr("first")));
      });
  module.def(
      "read_preproc",
      [](const std::string& path, bool no_mask, bool checksums) {
        return read_preproc(path, no_mask ? MaskHdu::optional : MaskHdu::required, checksums,
                            default_threads());
      },
      "path"_a, "no_mask"_a = false, "checksums"_a = true, nb::call_guard<WithoutGil>(),
      "Reads a file preproc-CAMERA-EXPID.fits, .fits.gz or .fits.fz; without MASK only with "
      "no_mask. Raises DataError.");
  module.def("make_preproc", &make_preproc, "image"_a, "ivar"_a, "mask"_a.none(), "camera"_a,
             "cards"_a, "fibermap"_a, "first"_a.none() = nb::none(),
             "A Preproc from arrays [ny, nx]: float32 or float64 electron and electron^-2, uint32 "
             "bits or None. They are copied once. `cards` and `fibermap` as of a Preproc. Raises "
             "UsageError, DataError.");
}

}  // namespace

void bind_inputs(nb::module_& module) {
  bind_psf_files(module);
  bind_files(module);
  bind_preproc(module);
}

}  // namespace spex::python
