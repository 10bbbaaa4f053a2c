#include "reference/psf/image_spots.hpp"

#include <algorithm>
#include <cmath>

#include "reference/core/count.hpp"
#include "reference/psf/sinc_shift.hpp"
#include "reference/psf/spot.hpp"

namespace spex {
namespace {

// Two neighbors on an ascending axis; `part` of the way from the first to the second, beyond the
// ends less than 0 or more than 1.
struct Between {
  std::size_t first;
  double part;
};
Between between(const std::vector<double>& axis, double value) {
  const auto above = std::ranges::lower_bound(axis, value);
  const auto second = std::clamp<std::ptrdiff_t>(above - axis.begin(), 1,
                                                 static_cast<std::ptrdiff_t>(axis.size()) - 1);
  const double a = axis[static_cast<std::size_t>(second) - 1];
  const double b = axis[static_cast<std::size_t>(second)];
  return {static_cast<std::size_t>(second) - 1, (value - a) / (b - a)};
}

// Where a center lies within its pixel, counted in fine pixels: whole ones, and the rest.
struct FinePlace {
  int whole;    // 0 to scale - 1
  double rest;  // 0 to 1
};
FinePlace fine_place(double center, int scale) {
  const double fine = center * scale;
  const double of_pixel = std::floor(center) * scale;
  const double whole = std::clamp(std::floor(fine) - of_pixel, 0.0, scale - 1.0);
  return {static_cast<int>(whole), fine - of_pixel - whole};
}

// The first pixel along one axis of a spot of `n` pixels.
int first_pixel(double center, int n) {
  return static_cast<int>(std::floor(center)) - n / 2 + 1;
}

// An image [ny][nx] of fine pixels, which is added up in pixels of the CCD.
class Rebinned {
 public:
  explicit Rebinned(const SpotImages& images)
      : scale_(images.scale),
        nx_(coarse_pixels(images.nx, images.scale)),
        ny_(coarse_pixels(images.ny, images.scale)),
        value_(count_of(nx_, ny_), 0.0) {}

  [[nodiscard]] int nx() const { return nx_; }
  [[nodiscard]] int ny() const { return ny_; }
  [[nodiscard]] const std::vector<double>& value() const { return value_; }

  // Adds `weight` times the image, shifted by whole fine pixels.
  void add(const std::vector<double>& fine, int nx, int ny, int right, int up, double weight) {
    if (weight == 0) return;
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        value_[count_of((y + up) / scale_, nx_) + count_of((x + right) / scale_)] +=
            weight * fine[count_of(y, nx) + count_of(x)];
  }

 private:
  int scale_, nx_, ny_;
  std::vector<double> value_;
};

}  // namespace

void SpotGrid::add_spot(double lambda, const Center& center, double* box) {
  const SpotImages& images = psf().images;
  const auto [p, dp] = between(images.grid.slit, images.grid.fiber[count_of(fiber())]);
  const auto [w, dw] = between(images.grid.wave, lambda);
  const std::size_t size = count_of(images.nx, images.ny), nwave = images.grid.wave.size();
  const auto image = [&](std::size_t slit, std::size_t wave) {
    return images.value.data() + (slit * nwave + wave) * size;
  };
  const double* const corner[] = {image(p, w), image(p + 1, w), image(p, w + 1),
                                  image(p + 1, w + 1)};
  std::vector<double> fine(size);
  for (std::size_t i = 0; i < size; ++i)
    fine[i] = (corner[0][i] * (1 - dp) + corner[1][i] * dp) * (1 - dw) +
              (corner[2][i] * (1 - dp) + corner[3][i] * dp) * dw;
  const auto [right, dx] = fine_place(center.x, images.scale);
  const auto [up, dy] = fine_place(center.y, images.scale);
  Rebinned spot(images);
  for (const int one_up : {0, 1})
    for (const int one_right : {0, 1})
      spot.add(fine, images.nx, images.ny, right + one_right, up + one_up,
               (one_up == 0 ? 1 - dy : dy) * (one_right == 0 ? 1 - dx : dx));
  place({spot.value().data(), spot.nx(), spot.ny(), first_pixel(center.x, spot.nx()),
         first_pixel(center.y, spot.ny())},
        center, box);
}

void MonoSpot::add_spot(double /*lambda*/, const Center& center, double* box) {
  const SpotImages& images = psf().images;
  const auto [right, dx] = fine_place(center.x, images.scale);
  const auto [up, dy] = fine_place(center.y, images.scale);
  Rebinned spot(images);
  spot.add(images.value, images.nx, images.ny, right, up, 1);
  const std::vector<double> shifted =
      sinc_shifted(spot.value(), spot.nx(), spot.ny(), dx / images.scale, dy / images.scale);
  place({shifted.data(), spot.nx(), spot.ny(), first_pixel(center.x, spot.nx()),
         first_pixel(center.y, spot.ny())},
        center, box);
}

void PcaPix::add_spot(double /*lambda*/, const Center& center, double* box) {
  const SpotImages& images = psf().images;
  const PcaFiber& of = images.pca[count_of(fiber())];
  const double x = of.xscale * (center.x - of.x0), y = of.yscale * (center.y - of.y0);
  const std::size_t size = count_of(images.nx, images.ny), nterm = images.term.size();
  std::vector<double> spot(size, 0.0);
  for (std::size_t t = 0; t < nterm; ++t) {
    const double weight = std::pow(x, images.term[t].xexp) * std::pow(y, images.term[t].yexp);
    const double* image = images.value.data() + (count_of(of.group) * nterm + t) * size;
    for (std::size_t i = 0; i < size; ++i) spot[i] += weight * image[i];
  }
  const double column = std::floor(center.x + 0.5), row = std::floor(center.y + 0.5);
  const std::vector<double> shifted =
      sinc_shifted(std::move(spot), images.nx, images.ny, center.x - column, center.y - row);
  place({shifted.data(), images.nx, images.ny, static_cast<int>(column) - images.nx / 2,
         static_cast<int>(row) - images.ny / 2},
        center, box);
}

}  // namespace spex
