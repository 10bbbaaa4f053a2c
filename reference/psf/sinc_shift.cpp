#include "reference/psf/sinc_shift.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "reference/core/count.hpp"

namespace spex {
namespace {

constexpr int radius = 10;
constexpr double damping = 3.25;
constexpr double min_shift = 1e-6;

using Kernel = std::array<double, 2 * radius + 1>;

Kernel damped_sinc(double shift) {
  Kernel kernel{};
  for (int i = 0; i < 2 * radius + 1; ++i) {
    const double x = i - radius - shift;
    const double damped = std::exp(-(x / damping) * (x / damping));
    kernel[static_cast<std::size_t>(i)] =
        x == 0 ? 1.0 : damped * std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
  }
  return kernel;
}

// The convolution of `values` with the kernel; zeros follow at both ends.
std::vector<double> convolved(const std::vector<double>& values, const Kernel& kernel) {
  const int n = static_cast<int>(values.size());
  std::vector<double> result(values.size(), 0.0);
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int j = std::max(0, k - radius); j <= std::min(n - 1, k + radius); ++j)
      sum += values[count_of(j)] * kernel[count_of(k - j + radius)];
    result[count_of(k)] = sum;
  }
  return result;
}

std::vector<double> transposed(const std::vector<double>& image, int nx, int ny) {
  std::vector<double> result(image.size());
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      result[count_of(x, ny) + count_of(y)] = image[count_of(y, nx) + count_of(x)];
  return result;
}

}  // namespace

std::vector<double> sinc_shifted(std::vector<double> image, int nx, int ny, double dx, double dy) {
  if (std::abs(dx) > min_shift) image = convolved(image, damped_sinc(dx));
  if (std::abs(dy) > min_shift)
    image = transposed(convolved(transposed(image, nx, ny), damped_sinc(dy)), ny, nx);
  return image;
}

}  // namespace spex
