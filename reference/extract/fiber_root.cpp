#include "reference/extract/fiber_root.hpp"

#include <algorithm>
#include <cmath>

#include "reference/core/count.hpp"
#include "reference/extract/fiber_cholesky.hpp"
#include "reference/linalg/band_batch.hpp"
#include "reference/linalg/dense_lanes.hpp"
#include "reference/linalg/zolotarev.hpp"

namespace spex {
namespace {

// Relative errors of the root, and of the root in the term of E, which is at most 1e-7 of the
// whole.
constexpr double root_error = fiber_poles::cpu_error;
constexpr double correction_error = 3e-4;
constexpr int most_poles = fiber_poles::most;

double norm_inf(const SpectrumEquations& e) {
  std::vector<double> sum(e.m, 0.0);
  for (int j = 0; j < e.m; ++j)
    for (int d = 0; d <= e.reach && j + d < e.m; ++d) {
      const double a = std::abs(e.P[count_of(j, e.reach + 1) + count_of(d)]);
      sum[j] += a;
      if (d > 0) sum[j + d] += a;
    }
  return *std::max_element(sum.begin(), sum.end());
}

// P_b x.
void multiply_band(const SpectrumEquations& e, const AlignedDoubles& x, AlignedDoubles& y) {
  std::fill(y.begin(), y.end(), 0.0);
  for (int j = 0; j < e.m; ++j) {
    const double* column = e.P.data() + count_of(j, e.reach + 1);
    double sum = y[j] + column[0] * x[j];
    for (int d = 1; d <= std::min(e.reach, e.m - 1 - j); ++d) {
      y[j + d] += column[d] * x[j];
      sum += column[d] * x[j + d];
    }
    y[j] = sum;
  }
}

// P_b + shift_k, and the weights of their inverses in P_b^(-1/2): whole groups of poles.
struct Poles {
  AlignedDoubles shift;
  AlignedDoubles weight;
  [[nodiscard]] int count() const { return static_cast<int>(shift.size()); }
};

Poles make_poles(double least, double largest, double error) {
  int n = lanes_of_group;
  while (n < most_poles && zolotarev_error(n, least / largest) > error) n += lanes_of_group;
  Poles poles;
  for (int k = 0; k < n; ++k) {
    const ZolotarevPole pole = zolotarev_pole(k, n, least, largest);
    poles.shift.push_back(pole.shift);
    poles.weight.push_back(pole.weight);
  }
  return poles;
}

// (P_b + shift_k)^-1 of 1 and of y: [bin][2][pole].
AlignedDoubles solve_ones_and_y(const BandBatch& L, const SpectrumEquations& e, int count) {
  AlignedDoubles x(count_of(e.m, 2, count));
  for (int j = 0; j < e.m; ++j) {
    std::fill_n(x.data() + count_of(j, 2, count), count, 1.0);
    std::fill_n(x.data() + count_of(2 * j + 1, count), count, e.y[j]);
  }
  L.solve(x, 2);
  return x;
}

// P^(-1/2) of 1 and of y.
struct Roots {
  AlignedDoubles of_ones, of_y;
};
Roots weighted_sums(const SpectrumEquations& e, const Poles& poles, const AlignedDoubles& x) {
  const BandKernels& kernels = band_kernels(instructions_in_use());
  std::vector<double> sums(count_of(e.m, 2));
  kernels.weighted_sums(2 * e.m, poles.count(), poles.weight.data(), x.data(), sums.data());
  Roots roots{AlignedDoubles(count_of(e.stride), 0.0), AlignedDoubles(count_of(e.stride), 0.0)};
  for (int j = 0; j < e.m; ++j) {
    roots.of_ones[j] = sums[count_of(2, j)];
    roots.of_y[j] = sums[count_of(2, j) + 1];
  }
  return roots;
}

// The first-order term of E: (P + shift)^-1 = X + X E X + ... with X = (P_b + shift)^-1. The terms
// left out are smaller than its square. The term is small, so that fewer poles are enough.
Roots correction(const SpectrumEquations& e, double least, double largest) {
  const Poles poles = make_poles(least, largest, correction_error);
  BandBatch L = BandBatch::shifted(e.m, e.reach, e.P, poles.shift);
  if (!L.factor()) {
    const AlignedDoubles nan(count_of(e.stride), std::nan(""));
    return {nan, nan};
  }
  const AlignedDoubles x = solve_ones_and_y(L, e, poles.count());
  AlignedDoubles Ex(x.size());
  dense_kernels(instructions_in_use())
      .multiply(e.m, e.stride, e.E.data(), 2 * poles.count(), x.data(), Ex.data());
  L.solve(Ex, 2);
  return weighted_sums(e, poles, Ex);
}

// R of the band of Q = P_b^(1/2) = sum_k weight_k (1 - shift_k (P_b + shift_k)^-1).
std::vector<double> resolution(const BandBatch& L, const Poles& poles, int ndiag,
                               const AlignedDoubles& r) {
  const BandBatch Z = L.inverse_band();
  const int m = L.n();
  const int width = L.reach() + 1;
  std::vector<double> Q(count_of(m, width));
  const BandKernels& kernels = band_kernels(instructions_in_use());
  kernels.band_of_root({m, L.reach(), poles.count()}, poles.weight.data(), poles.shift.data(),
                       Z.at(0, 0), Q.data());
  std::vector<double> R(count_of(m, m), 0.0);
  for (int j = 0; j < m; ++j)
    for (int d = 0; d <= std::min(ndiag, m - 1 - j); ++d) {
      const double q = Q[count_of(j, width) + count_of(d)];
      const int i = j + d;
      R[count_of(j, m) + count_of(i)] = q / r[i];
      R[count_of(i, m) + count_of(j)] = q / r[j];
    }
  return R;
}

}  // namespace

FiberGuard add_spectrum(const SpectrumEquations& e, int ndiag, Decorrelated& result) {
  const double norm = norm_inf(e);
  if (!(norm * e.kept_inverse < fiber_bounds::condition)) return FiberGuard::condition;
  if (!(norm * e.trace_inverse < fiber_bounds::padded_condition)) return FiberGuard::condition;

  // The eigenvalues of P lie between 1 / tr(P^-1) and its norm; a little room for rounding.
  const double least = 0.999 / e.trace_inverse, largest = 1.001 * norm;
  const Poles poles = make_poles(least, largest, root_error);
  BandBatch L = BandBatch::shifted(e.m, e.reach, e.P, poles.shift);
  if (!L.factor()) return FiberGuard::not_positive;

  const Roots of_band = weighted_sums(e, poles, solve_ones_and_y(L, e, poles.count()));
  Roots of_P = correction(e, least, largest);
  for (int j = 0; j < e.m; ++j) {
    of_P.of_ones[j] += of_band.of_ones[j];
    of_P.of_y[j] += of_band.of_y[j];
  }
  // r = Q 1 = P (P^(-1/2) 1), with all of P.
  AlignedDoubles r(count_of(e.stride)), r_band(count_of(e.stride));
  multiply_band(e, of_P.of_ones, r);
  dense_kernels(instructions_in_use())
      .subtract_product(e.m, e.stride, e.E.data(), of_P.of_ones.data(), r.data());
  multiply_band(e, of_band.of_ones, r_band);
  for (int j = 0; j < e.m; ++j)
    if (!(std::abs(r_band[j] - r[j]) <= fiber_bounds::outside * std::abs(r[j])))
      return FiberGuard::outside_the_band;

  for (int j = 0; j < e.m; ++j) {
    result.flux.push_back(of_P.of_y[j] / r[j]);
    result.ivar.push_back(r[j] * r[j]);
  }
  result.R.push_back(resolution(L, poles, ndiag, r));
  return FiberGuard::none;
}

}  // namespace spex
