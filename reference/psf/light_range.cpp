#include "reference/psf/light_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/core/count.hpp"
#include "reference/psf/legendre.hpp"

namespace spex {
namespace {

constexpr double farthest = 3;  // u, as far beyond the range from -1 to 1 as it is long
constexpr double step = 1.0 / 256;

// Calls term(d, P_d'(u)) for 1 <= d < n, by P_{d+1}' = P_{d-1}' + (2d + 1) P_d.
template <class Term>
void for_each_slope(int n, double u, const Term& term) {
  double before = 0;  // P_{d-1}'
  double slope = 0;   // P_d'
  for_each_legendre(n, u, [&](int d, double P) {
    if (d > 0) term(d, slope);
    const double next = before + (2 * d + 1) * P;
    before = slope;
    slope = next;
  });
}

// dY/du of one fiber.
class Slope {
 public:
  Slope(const Trace& rows, int fiber)
      : c_(rows.coeff.data() + count_of(fiber, rows.ncoeff)), n_(rows.ncoeff) {}

  double operator()(double u) const {
    double sum = 0;
    for_each_slope(n_, u, [&](int d, double slope) { sum += c_[d] * slope; });
    return sum;
  }

  // Whether the linear term exceeds all others in [-u, u], u >= 1: |P_d'| is largest at its ends.
  bool is_surely_monotonic(double u) const {
    double others = 0;
    for_each_slope(n_, u, [&](int d, double slope) {
      if (d > 1) others += std::abs(c_[d]) * slope;
    });
    return n_ > 1 && std::abs(c_[1]) > others;
  }

 private:
  const double* c_;
  int n_;
};

// The last u, from 0 toward `end`, before the slope loses the sign that it has at 0; `otherwise` if
// it keeps the sign.
double last_of_sign(const Slope& slope, double sign, double end, double otherwise) {
  const double direction = end < 0 ? -1 : 1;
  const auto keeps = [&](double u) { return slope(u) * sign > 0; };
  double good = 0;
  while (direction * good < direction * end) {
    double bad = good + direction * step;
    if (keeps(bad)) {
      good = bad;
      continue;
    }
    for (double middle = (good + bad) / 2; middle != good && middle != bad;
         middle = (good + bad) / 2)
      (keeps(middle) ? good : bad) = middle;
    return good;
  }
  return otherwise;
}

}  // namespace

LightRange light_range(const Trace& rows, int fiber, double from, double to) {
  const Slope slope(rows, fiber);
  const auto within = [](double u) { return std::clamp(u, -farthest, farthest); };
  const double low = within(legendre_variable(from, rows.wavemin, rows.wavemax));
  const double high = within(legendre_variable(to, rows.wavemin, rows.wavemax));
  double first = -farthest, last = farthest;
  if (!slope.is_surely_monotonic(std::max({1.0, -low, high}))) {
    const double sign = slope(0);
    if (sign == 0) return {std::numeric_limits<double>::infinity(), 0};
    first = last_of_sign(slope, sign, std::min(low, 0.0), -farthest);
    last = last_of_sign(slope, sign, std::max(high, 0.0), farthest);
  }
  const double middle = (rows.wavemin + rows.wavemax) / 2;
  const double half = (rows.wavemax - rows.wavemin) / 2;
  return {middle + first * half, middle + last * half};
}

LightRange light_range(const Trace& rows, int fiber) {
  const double beyond = (farthest - 1) / 2 * (rows.wavemax - rows.wavemin);
  return light_range(rows, fiber, rows.wavemin - beyond, rows.wavemax + beyond);
}

double trace_slope(const Trace& trace, int fiber, double lambda) {
  const double u = legendre_variable(lambda, trace.wavemin, trace.wavemax);
  return Slope(trace, fiber)(u) * 2 / (trace.wavemax - trace.wavemin);
}

double wavelength_of_row(const Trace& rows, int fiber, const LightRange& light, double row) {
  const double* c = rows.coeff.data() + count_of(fiber, rows.ncoeff);
  const auto above = [&](double lambda) {
    return legendre_sum(c, rows.ncoeff, legendre_variable(lambda, rows.wavemin, rows.wavemax)) -
           row;
  };
  auto [low, high] = light;
  const double sign = above(high) > above(low) ? 1 : -1;
  if (!(sign * above(low) <= 0 && sign * above(high) >= 0))
    return std::numeric_limits<double>::quiet_NaN();
  // Newton's steps, within an interval that holds the wavelength.
  constexpr int most = 100;
  double lambda = (low + high) / 2;
  for (int i = 0; i < most; ++i) {
    const double here = above(lambda);
    (sign * here < 0 ? low : high) = lambda;
    double next = lambda - here / trace_slope(rows, fiber, lambda);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (next == lambda || std::abs(here) <= 1e-12 * (1 + std::abs(row))) break;
    lambda = next;
  }
  return lambda;
}

}  // namespace spex
