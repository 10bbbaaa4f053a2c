#include "reference/compare/structure.hpp"

#include <cmath>

#include <fmt/format.h>

namespace spex {
Place bin_place(const FrameFile& file, const std::string& hdu, long long s, long long w) {
  Place place{hdu, file.specmin + s, w, {}};
  const FrameImage* wave = file.image("WAVELENGTH");
  if (wave != nullptr && w < static_cast<long long>(wave->value.size()))
    place.wavelength = wave->value[w];
  return place;
}

Place element_place(const FrameFile& file, const FrameImage& image, std::size_t index) {
  Place place{image.name, {}, {}, {}};
  if (image.shape.empty() || image.shape.back() == 0) return place;
  const std::size_t nwave = image.shape.back();
  const auto w = static_cast<long long>(index % nwave);
  if (image.shape.size() == 1) {
    place.bin = w;
    place.wavelength = image.value[index];
    return place;
  }
  const std::size_t per_fiber = image.value.size() / static_cast<std::size_t>(image.shape.front());
  return bin_place(file, image.name, static_cast<long long>(index / per_fiber), w);
}

Check check_finite(const FrameFile& file) {
  Check check{.hdu = "all", .what = "not finite, or ivar < 0"};
  for (const FrameImage& image : file.images) {
    const bool sign = image.name == "IVAR";
    for (std::size_t i = 0; i < image.value.size(); ++i) {
      const double value = image.value[i];
      check.add_equal(std::isfinite(value) && !(sign && value < 0),
                      [&] { return element_place(file, image, i); });
    }
  }
  return check;
}

Check check_hdus(const FrameFile& file, const std::vector<std::string>& names,
                 const FrameShape& shape) {
  Check check{.hdu = "all", .what = "HDUs missing or misshaped"};
  for (const std::string& name : names) {
    const Place place{name, {}, {}, {}};
    if (const auto expected = shape.of(name)) {
      const FrameImage* image = file.image(name);
      if (image == nullptr)
        check.add_problem(place, "is missing");
      else if (image->shape != *expected)
        check.add_problem(place, fmt::format("has shape {} (expected {})", to_string(image->shape),
                                             to_string(*expected)));
      else
        ++check.compared;
    } else {
      const FrameTable* table = file.table(name);
      if (table == nullptr)
        check.add_problem(place, "is missing");
      else if (table->nrow != shape.nspec)
        check.add_problem(place,
                          fmt::format("has {} rows (expected {})", table->nrow, shape.nspec));
      else
        ++check.compared;
    }
  }
  return check;
}

}  // namespace spex
