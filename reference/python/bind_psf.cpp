#include <cmath>
#include <limits>
#include <vector>

#include <nanobind/stl/string.h>

#include "reference/core/parallel.hpp"
#include "reference/psf/light_range.hpp"
#include "reference/psf/spots.hpp"
#include "reference/python/arrays.hpp"
#include "reference/python/bindings.hpp"
#include "reference/python/without_gil.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spex::python {
namespace {

using Fibers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Fibers, and a row of values (wavelengths, or rows of the CCD) for each of them.
struct Places {
  std::vector<int> fiber;
  std::size_t count = 0;  // of values
  std::vector<double> value;

  [[nodiscard]] std::vector<double> of(std::size_t f) const {
    return {value.begin() + static_cast<std::ptrdiff_t>(f * count),
            value.begin() + static_cast<std::ptrdiff_t>((f + 1) * count)};
  }
  [[nodiscard]] int size() const { return static_cast<int>(fiber.size()); }
};

// `values` has one row for all fibers, or one for each.
Places places_of(const Psf& psf, const Fibers& fibers, const Values& values) {
  Places places;
  places.count = values.shape(1);
  if (values.shape(0) != 1 && values.shape(0) != fibers.shape(0))
    throw usage_error("wave", fmt::format("has {} rows", values.shape(0)),
                      fmt::format("one, or one for each of {} fibers", fibers.shape(0)));
  for (std::size_t f = 0; f < fibers.shape(0); ++f) {
    const std::int64_t fiber = fibers(f);
    if (fiber < 0 || fiber >= psf.nfiber)
      throw usage_error("fiber", std::to_string(fiber), fmt::format("0 to {}", psf.nfiber - 1));
    places.fiber.push_back(static_cast<int>(fiber));
    const std::size_t row = values.shape(0) == 1 ? 0 : f;
    for (std::size_t w = 0; w < places.count; ++w) places.value.push_back(values(row, w));
  }
  return places;
}

// Column, row, GHSIGX, GHSIGY, and derivative of the row by wavelength; NaN without light.
nb::tuple shapes(const Psf& psf, const Fibers& fibers, const Values& wave, int threads) {
  const Places places = places_of(psf, fibers, wave);
  const std::size_t all = places.value.size();
  std::vector<double> x(all), y(all), sigma_x(all), sigma_y(all), slope(all);
  {
    const WithoutGil released;
    parallel_for(threads, places.size(), [&](int /*thread*/, int f) {
      const int fiber = places.fiber[f];
      const LightRange light = light_range(psf.ytrace, fiber);
      for (std::size_t w = 0; w < places.count; ++w) {
        const std::size_t at = f * places.count + w;
        const double lambda = places.value[at];
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const SpotShape shape =
            light.holds(lambda) ? spot_shape(psf, fiber, lambda) : SpotShape{{nan, nan}, nan, nan};
        x[at] = shape.center.x;
        y[at] = shape.center.y;
        sigma_x[at] = shape.sigma_x;
        sigma_y[at] = shape.sigma_y;
        slope[at] = light.holds(lambda) ? trace_slope(psf.ytrace, fiber, lambda) : nan;
      }
    });
  }
  const auto shaped = [&](std::vector<double>& values) {
    return as_array(std::move(values), {places.fiber.size(), places.count});
  };
  return nb::make_tuple(shaped(x), shaped(y), shaped(sigma_x), shaped(sigma_y), shaped(slope));
}

nb::object wavelengths(const Psf& psf, const Fibers& fibers, const Values& rows, int threads) {
  const Places places = places_of(psf, fibers, rows);
  std::vector<double> found(places.value.size());
  {
    const WithoutGil released;
    parallel_for(threads, places.size(), [&](int /*thread*/, int f) {
      const LightRange light = light_range(psf.ytrace, places.fiber[f]);
      for (std::size_t w = 0; w < places.count; ++w) {
        const std::size_t at = f * places.count + w;
        found[at] = wavelength_of_row(psf.ytrace, places.fiber[f], light, places.value[at]);
      }
    });
  }
  return nb::cast(as_array(std::move(found), {places.fiber.size(), places.count}));
}

// Spots, and the column and row of their first pixels, which are dark_corner without light.
nb::tuple spots_of(const Psf& psf, const Fibers& fibers, const Values& wave, int threads) {
  const Places places = places_of(psf, fibers, wave);
  const auto nx = static_cast<std::size_t>(psf.nx()), ny = static_cast<std::size_t>(psf.ny());
  std::vector<double> value(places.value.size() * nx * ny);
  std::vector<std::int64_t> xc(places.value.size()), yc(places.value.size());
  {
    const WithoutGil released;
    parallel_for(threads, places.size(), [&](int /*thread*/, int f) {
      const Spots spots = evaluate_spots(psf, places.fiber[f], 1, places.of(f));
      const std::size_t first = f * places.count;
      std::copy_n(spots.value.begin(), places.count * nx * ny, value.begin() + first * nx * ny);
      std::copy_n(spots.xc.begin(), places.count, xc.begin() + first);
      std::copy_n(spots.yc.begin(), places.count, yc.begin() + first);
    });
  }
  const std::size_t nfiber = places.fiber.size();
  return nb::make_tuple(as_array(std::move(value), {nfiber, places.count, ny, nx}),
                        as_array(std::move(xc), {nfiber, places.count}),
                        as_array(std::move(yc), {nfiber, places.count}));
}

}  // namespace

void bind_psf(nb::module_& module) {
  module.attr("dark_corner") = dark_corner;
  module.def("psf_shapes", &shapes, "psf"_a, "fiber"_a, "wave"_a, "threads"_a,
             "X, Y, GHSIGX, GHSIGY (pixels) and dY/dwavelength (pixel / Angstrom), each [nfiber, "
             "nwave], of `fiber` [nfiber] at `wave` [1 or nfiber, nwave]; NaN without light. "
             "Raises UsageError.");
  module.def(
      "psf_wavelengths", &wavelengths, "psf"_a, "fiber"_a, "rows"_a, "threads"_a,
      "Wavelengths (Angstrom) [nfiber, n] at `rows` (pixels) [1 or nfiber, n]; NaN where the "
      "trace does not go. Raises UsageError.");
  module.def("psf_spots", &spots_of, "psf"_a, "fiber"_a, "wave"_a, "threads"_a,
             "Spots [nfiber, nwave, ny, nx], and the columns and rows [nfiber, nwave] of their "
             "first pixels, which are dark_corner without light. Raises UsageError, DataError.");
}

}  // namespace spex::python
