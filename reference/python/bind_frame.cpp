#include <optional>
#include <set>
#include <tuple>
#include <variant>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "reference/fits/fits_header.hpp"
#include "reference/fits/header_cards.hpp"
#include "reference/io/fibermap_rows.hpp"
#include "reference/io/write_frame.hpp"
#include "reference/model/message.hpp"
#include "reference/python/arrays.hpp"
#include "reference/python/bindings.hpp"
#include "reference/python/frame_arrays.hpp"
#include "reference/python/frame_file.hpp"
#include "reference/python/pickle.hpp"
#include "reference/python/without_gil.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spex::python {
namespace {

nb::dict read(const std::string& path, bool checksums) {
  FrameOfFile of_file;
  {
    const WithoutGil released;
    of_file = read_frame_of_file(path, checksums);
  }
  nb::dict read;
  read["specmin"] = of_file.frame.specmin;
  put_frame(read, std::move(of_file.frame));
  put_counts(read, of_file.counts);
  read["camera"] = of_file.camera;
  read["flux_of"] = of_file.flux_solver;
  read["nwavestep"] = of_file.nwavestep;
  read["heliocor"] = of_file.heliocor;
  read["spectra_list"] = of_file.spectra;
  read["header"] = nb::cast(std::move(of_file.header));
  return read;
}

// A frame from arrays, checked for consistent shapes.
Frame frame_of_arrays(const AnyArray& wave, const AnyArray& flux, const AnyArray& ivar,
                      const AnyArray& mask, const AnyArray& resolution, const AnyArray& chi2pix,
                      const std::optional<AnyArray>& pixmask_fraction,
                      const std::optional<AnyArray>& f) {
  if (flux.ndim() != 2 || flux.size() == 0)
    throw usage_error("flux", fmt::format("has {} axes", flux.ndim()), "fibers x bins");
  if (resolution.ndim() != 3 || resolution.shape(1) % 2 == 0)
    throw usage_error("resolution", fmt::format("has {} axes", resolution.ndim()),
                      "fibers x diagonals, an odd number x bins");
  const std::size_t nspec = flux.shape(0), nwave = flux.shape(1);
  Frame frame;
  frame.nspec = static_cast<int>(nspec);
  frame.nwave = static_cast<int>(nwave);
  frame.ndiag = static_cast<int>(resolution.shape(1) / 2);
  const auto values = [&](const AnyArray& array, const char* name,
                          std::initializer_list<std::size_t> shape) {
    check_shape(array, name, shape);
    return values_of<double>(array, name);
  };
  frame.wave = values(wave, "wave", {nwave});
  frame.flux = values(flux, "flux", {nspec, nwave});
  frame.ivar = values(ivar, "ivar", {nspec, nwave});
  check_shape(mask, "mask", {nspec, nwave});
  frame.mask = values_of<std::uint32_t>(mask, "mask");
  frame.resolution = Reals(values(resolution, "resolution", {nspec, resolution.shape(1), nwave}));
  frame.chi2pix = values(chi2pix, "chi2pix", {nspec, nwave});
  if (pixmask_fraction)
    frame.pixmask_fraction = values(*pixmask_fraction, "pixmask_fraction", {nspec, nwave});
  if (f) frame.f = values(*f, "f", {nspec, nwave});
  return frame;
}

void write(const std::string& path, const Header& header, const std::string& camera,
           const AnyArray& wave, const AnyArray& flux, const AnyArray& ivar, const AnyArray& mask,
           const AnyArray& resolution, const AnyArray& chi2pix,
           const std::optional<AnyArray>& pixmask_fraction, const std::optional<AnyArray>& f,
           bool scores, bool full_precision) {
  Frame frame = frame_of_arrays(wave, flux, ivar, mask, resolution, chi2pix, pixmask_fraction, f);
  const WithoutGil released;
  write_frame_to_file(path, std::move(frame), camera, header, {scores, full_precision});
}

using Keyword = std::tuple<std::string, std::optional<std::variant<long long, double, std::string>>,
                           std::string>;

Header changed(const Header& header, const std::vector<Keyword>& keywords,
               const std::optional<std::vector<long long>>& rows) {
  std::vector<HeaderKeyword> written;
  std::set<std::string> removed;
  for (const Keyword& keyword : keywords) {
    const std::string& name = std::get<0>(keyword);
    const std::string& comment = std::get<2>(keyword);
    if (const auto& value = std::get<1>(keyword))
      std::visit([&](const auto& one) { written.push_back({name, one, comment}); }, *value);
    else
      removed.insert(name);
  }
  Header made = header;
  bool of_removed = false;  // a card that continues a removed one is removed, too
  std::erase_if(made.cards, [&](const std::string& card) {
    const std::string name(card_name(card));
    if (name != "CONTINUE") of_removed = removed.contains(name);
    return of_removed;
  });
  made.cards = header_cards(made.cards, written);
  if (rows && !header.fibermap.fiber.empty()) {
    std::vector<long long> from_one;
    for (const long long row : *rows) from_one.push_back(row + 1);
    made.fibermap = take_rows(header.fibermap, from_one, "header");
  }
  return made;
}

}  // namespace

void bind_frame(nb::module_& module) {
  nb::class_<Header>(module, "Header", "The content of a frame's file beside the arrays.")
      .def(nb::init<>(), "An empty header without fibermap.")
      .def_ro("cards", &Header::cards, "of the primary header, 80 characters each")
      .def_prop_ro(
          "fibermap",
          [](const Header& header) {
            const std::vector<char>& fits = header.fibermap.fits;
            return nb::bytes(fits.data(), fits.size());
          },
          "a FITS file with the table FIBERMAP; empty if there is none")
      .def(
          "number",
          [](const Header& header, const std::string& key) {
            return card_number(header.cards, key, "header");
          },
          "key"_a, "The number of a keyword; None without one. Raises DataError.")
      .def(
          "text",
          [](const Header& header, const std::string& key) { return card_text(header.cards, key); },
          "key"_a, "The text of a keyword; None without one.")
      .def_prop_ro(
          "fiber", [](const Header& header) { return header.fibermap.fiber; },
          "FIBER of the fibermap's rows; empty if there is none")
      .def(
          "changed",
          [](const Header& header, const std::vector<Keyword>& keywords,
             const std::optional<std::vector<long long>>& rows) {
            return changed(header, keywords, rows);
          },
          "keywords"_a, "rows"_a.none() = nb::none(),
          "A header with these keywords (name, value or None to remove it, comment) and, if there "
          "is a fibermap, only these of its rows, counted from 0. Raises DataError.")
      .def("__getstate__",
           [](const Header& header) {
             return nb::make_tuple(header.cards, as_bytes(message::pack(header.fibermap)));
           })
      .def("__setstate__", [](Header& header, const nb::tuple& state) {
        new (&header) Header{nb::cast<std::vector<std::string>>(state[0]),
                             message::unpack<Fibermap>(text_of(state[1]))};
      });
  module.def("read_spectra", &read, "path"_a, "checksums"_a,
             "Reads a frame's file as a dictionary of NumPy arrays, patch counts and values of the "
             "header. Raises DataError.");
  module.def("write_spectra", &write, "path"_a, nb::kw_only(), "header"_a, "camera"_a, "wave"_a,
             "flux"_a, "ivar"_a, "mask"_a, "resolution"_a, "chi2pix"_a, "pixmask_fraction"_a.none(),
             "f"_a.none(), "scores"_a, "full_precision"_a,
             "Writes a frame's file. Raises UsageError, DataError.");
}

}  // namespace spex::python
