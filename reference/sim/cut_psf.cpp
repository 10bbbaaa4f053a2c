#include "reference/sim/cut_psf.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/model/camera.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/move_spots.hpp"
#include "reference/psf/spots.hpp"

namespace spex {
namespace {

constexpr int tiny_rows = 300;
constexpr int rows_below_grid = 30;  // so that the padding of the first bins is also on the CCD
constexpr int spare_columns = 4;     // beyond the outermost spots

struct Span {
  double low;
  double high;
};

// The smallest and the largest row of a wavelength over all fibers.
Span rows_at(const Psf& psf, double lambda) {
  Span rows{spot_center(psf, 0, lambda).y, spot_center(psf, 0, lambda).y};
  for (int s = 1; s < psf.nfiber; ++s) {
    const double y = spot_center(psf, s, lambda).y;
    rows = {std::min(rows.low, y), std::max(rows.high, y)};
  }
  return rows;
}

Span columns_of(const Psf& psf, const WaveInterval& range) {
  constexpr int samples = 200;
  const double first = spot_center(psf, 0, range.wavemin).x;
  Span columns{first, first};
  for (int s = 0; s < psf.nfiber; ++s)
    for (int i = 0; i <= samples; ++i) {
      const double lambda = range.wavemin + (range.wavemax - range.wavemin) * i / samples;
      const double x = spot_center(psf, s, lambda).x;
      columns = {std::min(columns.low, x), std::max(columns.high, x)};
    }
  return columns;
}

Psf first_fibers(Psf psf, int count) {
  const int nfiber = std::min(count, psf.nfiber);
  for (Trace* trace : {&psf.xtrace, &psf.ytrace}) trace->coeff.resize(nfiber * trace->ncoeff);
  std::vector<double> param;
  for (int p = 0; p < psf.nparam(); ++p) {
    const auto first = psf.param.begin() + static_cast<std::ptrdiff_t>(p) * psf.nfiber * psf.ncoeff;
    param.insert(param.end(), first, first + static_cast<std::ptrdiff_t>(nfiber) * psf.ncoeff);
  }
  psf.param = std::move(param);
  psf.tail.clear();  // of all fibers, and not simulated
  psf.nfiber = nfiber;
  return psf;
}

struct Quadrature {
  std::vector<double> node, weight;
};

// Gauss-Legendre nodes and weights: exact for polynomials of degree below 2 n.
Quadrature gauss_legendre(int n) {
  Quadrature quadrature;
  for (int i = 0; i < n; ++i) {
    double u = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
    double slope = 0;
    for (int iteration = 0; iteration < 50; ++iteration) {
      double previous = 0;
      double p = 1;
      for (int d = 0; d < n; ++d)
        previous = std::exchange(p, ((2 * d + 1) * u * p - d * previous) / (d + 1));
      slope = n * (u * p - previous) / (u * u - 1);
      const double step = p / slope;
      u -= step;
      if (std::abs(step) < 1e-16) break;
    }
    quadrature.node.push_back(u);
    quadrature.weight.push_back(2 / ((1 - u * u) * slope * slope));
  }
  return quadrature;
}

// Converts Legendre coefficients to another interval: c_d = (2d + 1) / 2 x the integral of f P_d
// over u.
void rewrite(std::vector<double>& coeff, int ncoeff, const WaveInterval& from,
             const WaveInterval& to) {
  const Quadrature quadrature = gauss_legendre(ncoeff);
  std::vector<double> unit(ncoeff);
  for (auto c = coeff.begin(); c != coeff.end(); c += ncoeff) {
    std::vector<double> projected(ncoeff, 0.0);
    for (std::size_t i = 0; i < quadrature.node.size(); ++i) {
      const double u = quadrature.node[i];
      const double lambda = to.wavemin + (to.wavemax - to.wavemin) * (u + 1) / 2;
      const double f =
          legendre_sum(&*c, ncoeff, legendre_variable(lambda, from.wavemin, from.wavemax));
      for (int d = 0; d < ncoeff; ++d) {
        std::fill(unit.begin(), unit.end(), 0.0);
        unit[d] = 1;
        projected[d] += (d + 0.5) * quadrature.weight[i] * f * legendre_sum(unit.data(), ncoeff, u);
      }
    }
    std::copy(projected.begin(), projected.end(), c);
  }
}

void narrow(Psf& psf, const WaveInterval& to) {
  for (Trace* trace : {&psf.xtrace, &psf.ytrace}) {
    rewrite(trace->coeff, trace->ncoeff, {trace->wavemin, trace->wavemax}, to);
    trace->wavemin = to.wavemin;
    trace->wavemax = to.wavemax;
  }
  rewrite(psf.param, psf.ncoeff, {psf.wavemin, psf.wavemax}, to);
  psf.wavemin = to.wavemin;
  psf.wavemax = to.wavemax;
}

// The wavelengths, in integer Angstrom from the grid's first, whose spots reach rows [y0, y1).
WaveInterval reaching(const Psf& psf, double grid_first, int y0, int y1) {
  const WaveInterval all = defined_range(psf);
  const int reach = psf.hsizey + 1;
  WaveInterval range{grid_first, grid_first};
  while (range.wavemin - 1 >= all.wavemin && rows_at(psf, range.wavemin).high > y0 - reach)
    range.wavemin -= 1;
  while (range.wavemax + 1 <= all.wavemax && rows_at(psf, range.wavemax).low < y1 + reach)
    range.wavemax += 1;
  return range;
}

void cut_columns(Psf& psf) {
  const Span columns = columns_of(psf, defined_range(psf));
  const int x0 = std::max(0, static_cast<int>(columns.low) - psf.hsizex - spare_columns);
  const int x1 =
      std::min(psf.npix_x, static_cast<int>(columns.high) + psf.hsizex + spare_columns + 1);
  move_spots(psf, -x0, 0);
  psf.npix_x = x1 - x0;
}

void cut_rows(Psf& psf, double grid_first, const std::string& name) {
  const WaveInterval all = defined_range(psf);
  const double first = rows_at(psf, grid_first).low;
  if (grid_first < all.wavemin || grid_first > all.wavemax || first < 0 || first >= psf.npix_y)
    throw data_error(name, fmt::format("{:g} Angstrom is not on its CCD", grid_first),
                     "the first wavelength of the camera's grid there, or --size bundle or full");
  const int y0 = std::max(0, static_cast<int>(first) - rows_below_grid);
  const int y1 = std::min(psf.npix_y, y0 + tiny_rows);
  narrow(psf, reaching(psf, grid_first, y0, y1));
  move_spots(psf, 0, -y0);
  psf.npix_y = y1 - y0;
}

}  // namespace

std::string to_string(SimSize size) {
  switch (size) {
    case SimSize::bundle:
      return "bundle";
    case SimSize::tiny:
      return "tiny";
    case SimSize::full:
      break;
  }
  return "full";
}

WaveInterval defined_range(const Psf& psf) {
  return {std::max({psf.wavemin, psf.xtrace.wavemin, psf.ytrace.wavemin}),
          std::min({psf.wavemax, psf.xtrace.wavemax, psf.ytrace.wavemax})};
}

Psf cut_psf(const Psf& psf, SimSize size, const WaveRange& grid, const std::string& name) {
  if (size == SimSize::full) return psf;
  Psf cut = first_fibers(psf, fibers_a_bundle);
  if (size == SimSize::tiny) cut_rows(cut, grid.wmin, name);
  cut_columns(cut);
  if (cut.npix_x < 1)
    throw data_error(name, "its first fibers are outside of its CCD",
                     "a PSF whose traces are on the CCD");
  return cut;
}

}  // namespace spex
