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
constexpr int max_poles = fiber_poles::most;

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
  while (n < max_poles && zolotarev_error(n, least / largest) > error) n += lanes_of_group;
  Poles poles{AlignedDoubles(count_of(n)), AlignedDoubles(count_of(n))};
  for (int k = 0; 2 * k < n; ++k) {
    const auto [lower, upper] = zolotarev_pair(k, n, least, largest);
    poles.shift[k] = lower.shift, poles.weight[k] = lower.weight;
    poles.shift[n - 1 - k] = upper.shift, poles.weight[n - 1 - k] = upper.weight;
  }
  return poles;
}

// One or two vectors of a number a bin.
using Vectors = std::vector<const AlignedDoubles*>;

// (P_b + shift_k)^-1 of each vector: [bin][vector][pole].
AlignedDoubles solve(const BandBatch& L, const Vectors& vectors, int npole) {
  const int nrhs = static_cast<int>(vectors.size());
  AlignedDoubles x(count_of(L.n(), nrhs, npole));
  for (int j = 0; j < L.n(); ++j)
    for (int v = 0; v < nrhs; ++v)
      std::fill_n(x.data() + count_of(j * nrhs + v, npole), npole, (*vectors[v])[j]);
  L.solve(x, nrhs);
  return x;
}

// sum_k weight_k x_k of each vector of x.
std::vector<AlignedDoubles> weighted_sums(const SpectrumEquations& e, const Poles& poles, int nrhs,
                                          const AlignedDoubles& x) {
  const BandKernels& kernels = band_kernels(instructions_in_use());
  std::vector<double> sums(count_of(e.m, nrhs));
  kernels.weighted_sums(e.m * nrhs, poles.count(), poles.weight.data(), x.data(), sums.data());
  std::vector<AlignedDoubles> of(nrhs, AlignedDoubles(count_of(e.stride), 0.0));
  for (int j = 0; j < e.m; ++j)
    for (int v = 0; v < nrhs; ++v) of[v][j] = sums[count_of(j, nrhs) + count_of(v)];
  return of;
}

// Bounds of what the first-order term of E changes, of all bins.
struct ChangeByE {
  double of_r = 0;  // the row sums r
  double of_z = 0;  // z = P^(-1/2) y, the flux in units of its sigma
};

// From x = (P_b + shift_k)^-1 of 1 and y. A pole adds weight_k X E x_k to z, and shift_k times that
// to r, where the norm of X = (P_b + shift_k)^-1 is at most 1 / (least + shift_k).
ChangeByE bound_change(const SpectrumEquations& e, const Poles& poles, const AlignedDoubles& x,
                       double least) {
  const int n = poles.count();
  std::vector<double> squares(count_of(2, n), 0.0);
  for (int j = 0; j < e.m; ++j)
    for (int k = 0; k < 2 * n; ++k)
      squares[k] += x[count_of(j, 2 * n) + count_of(k)] * x[count_of(j, 2 * n) + count_of(k)];
  const double norm =
      dense_kernels(instructions_in_use()).largest_column(e.m, e.stride, e.E.data());
  ChangeByE change;
  for (int k = 0; k < n; ++k) {
    const double most = norm * poles.weight[k] / (least + poles.shift[k]);
    change.of_r += most * poles.shift[k] * std::sqrt(squares[k]);
    change.of_z += most * std::sqrt(squares[n + k]);
  }
  return change;
}

// The first-order term of E in P^(-1/2) of each vector: (P + shift)^-1 = X + X E X + ... with X =
// (P_b + shift)^-1. The terms left out are smaller than its square. The term is small, so that
// fewer poles are enough.
std::vector<AlignedDoubles> correction(const SpectrumEquations& e, double least, double largest,
                                       const Vectors& vectors) {
  const int nrhs = static_cast<int>(vectors.size());
  const Poles poles = make_poles(least, largest, correction_error);
  BandBatch L = BandBatch::shifted(e.m, e.reach, e.P, poles.shift);
  if (!L.factor()) return {vectors.size(), AlignedDoubles(count_of(e.stride), std::nan(""))};
  const AlignedDoubles x = solve(L, vectors, poles.count());
  AlignedDoubles Ex(x.size());
  dense_kernels(instructions_in_use())
      .multiply(e.m, e.stride, e.E.data(), nrhs * poles.count(), x.data(), Ex.data());
  L.solve(Ex, nrhs);
  return weighted_sums(e, poles, nrhs, Ex);
}

// Adds `term` to `sum`.
void add(const AlignedDoubles& term, AlignedDoubles& sum) {
  for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += term[j];
}

// R of the band of Q = P_b^(1/2) = sum_k weight_k (1 - shift_k (P_b + shift_k)^-1). What is farther
// than ndiag from the diagonal is not set.
AlignedDoubles resolution(const BandBatch& L, const Poles& poles, int ndiag,
                          const AlignedDoubles& r) {
  const BandBatch Z = L.inverse_band();
  const int m = L.n();
  const int width = L.reach() + 1;
  AlignedDoubles Q(count_of(m, width));
  const BandKernels& kernels = band_kernels(instructions_in_use());
  kernels.band_of_root({m, L.reach(), poles.count()}, poles.weight.data(), poles.shift.data(),
                       Z.at(0, 0), Q.data());
  AlignedDoubles R(count_of(m, m));
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

  // A little room for rounding.
  const double least = 0.999 * e.least, largest = 1.001 * norm;
  const Poles poles = make_poles(least, largest, root_error);
  BandBatch L = BandBatch::shifted(e.m, e.reach, e.P, poles.shift);
  if (!L.factor()) return FiberGuard::not_positive;

  const AlignedDoubles ones(count_of(e.m), 1.0);
  const AlignedDoubles x = solve(L, {&ones, &e.y}, poles.count());
  std::vector<AlignedDoubles> of_band = weighted_sums(e, poles, 2, x);
  AlignedDoubles &u = of_band[0], &z = of_band[1];  // P^(-1/2) of 1 and of y
  // r = Q 1 = P (P^(-1/2) 1).
  AlignedDoubles r(count_of(e.stride));
  multiply_band(e, u, r);

  const ChangeByE change = bound_change(e, poles, x, least);
  bool r_needs_E = false, z_needs_E = false;
  for (int j = 0; j < e.m; ++j) {
    const double of_r = change.of_r / std::abs(r[j]), size = std::abs(z[j]);
    r_needs_E = r_needs_E || !(of_r <= fiber_outside::cpu / std::max(1.0, size));
    z_needs_E = z_needs_E || !(change.of_z + size * of_r <= fiber_outside::cpu);
  }
  if (r_needs_E) {
    const std::vector<AlignedDoubles> terms = correction(e, least, largest, {&ones, &e.y});
    add(terms[0], u);
    add(terms[1], z);
    const AlignedDoubles r_band = r;
    multiply_band(e, u, r);
    dense_kernels(instructions_in_use())
        .subtract_product(e.m, e.stride, e.E.data(), u.data(), r.data());
    for (int j = 0; j < e.m; ++j)
      if (!(std::abs(r_band[j] - r[j]) <= fiber_bounds::outside * std::abs(r[j])))
        return FiberGuard::outside_the_band;
  } else if (z_needs_E) {
    add(correction(e, least, largest, {&e.y})[0], z);
  }

  for (int j = 0; j < e.m; ++j) {
    result.flux.push_back(z[j] / r[j]);
    result.ivar.push_back(r[j] * r[j]);
  }
  result.R.push_back(resolution(L, poles, ndiag, r));
  return FiberGuard::none;
}

}  // namespace spex
