#include "reference/extract/fiber_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "reference/core/count.hpp"
#include "reference/core/lapack.hpp"
#include "reference/linalg/band_batch.hpp"
#include "reference/linalg/zolotarev.hpp"

namespace spex {
namespace {

// Sweeps over all spectra for f. An error shrinks by (2 rho)^2 a sweep at least, to 1e-15 of what
// it was at the bound of rho.
constexpr int sweeps = 6;
// Relative error of the root, and the numbers of poles that reach it: vectors of whole words.
constexpr double root_error = fiber_poles::cpu_error;
constexpr int pole_step = 4;
constexpr int most_poles = fiber_poles::most;
// P of no more bins than these is taken whole: its band would not be much cheaper.
constexpr int small_P = 16;

// N by its blocks of m x m, of which the lower triangle of the whole is stored.
class Blocks {
 public:
  Blocks(const NormalEquations& equations, int nwave)
      : N_(equations.N.data()), n_(equations.n), m_(nwave) {}

  [[nodiscard]] int m() const { return m_; }
  [[nodiscard]] int nspec() const { return static_cast<int>(n_) / m_; }
  // Element (w, v) of block (s, t); w >= v where s = t.
  [[nodiscard]] double at(int s, int w, int t, int v) const {
    return s >= t ? N_[index(t, v) * n_ + index(s, w)] : N_[index(s, w) * n_ + index(t, v)];
  }
  // Elements (0 ... m - 1, v) of block (s, t), s > t.
  [[nodiscard]] const double* column(int s, int t, int v) const {
    return N_ + index(t, v) * n_ + index(s, 0);
  }

 private:
  [[nodiscard]] std::ptrdiff_t index(int s, int w) const { return s * m_ + w; }
  const double* N_;
  std::ptrdiff_t n_;
  int m_;
};

bool spectra_far_apart_are_apart(const Blocks& N) {
  const int m = N.m();
  for (int t = 0; t < N.nspec(); ++t)
    for (int s = t + 2; s < N.nspec(); ++s)
      for (int v = 0; v < m; ++v) {
        const double* column = N.column(s, t, v);
        for (int w = 0; w < m; ++w) {
          if (column[w] == 0) continue;
          const double norm = std::sqrt(N.at(s, w, s, w) * N.at(t, v, t, v));
          if (!(std::abs(column[w]) <= fiber_bounds::far * norm)) return false;
        }
      }
  return true;
}

// The largest |w - v| of an element other than zero in blocks of a spectrum or two neighbours.
int reach_of(const Blocks& N) {
  int reach = 1;
  for (int t = 0; t < N.nspec(); ++t)
    for (int v = 0; v < N.m(); ++v) {
      for (int w = N.m() - 1; w > v + reach; --w)
        if (N.at(t, w, t, v) != 0) reach = w - v;
      if (t + 1 == N.nspec()) continue;
      const double* column = N.column(t + 1, t, v);
      for (int w = 0; w < N.m(); ++w)
        if (column[w] != 0) reach = std::max(reach, std::abs(w - v));
    }
  return reach;
}

// The blocks N_ss of all spectra, lane s.
BandBatch diagonal_blocks(const Blocks& N, int reach) {
  BandBatch A(N.m(), reach, N.nspec());
  for (int v = 0; v < N.m(); ++v)
    for (int d = 0; d <= A.reach() && v + d < N.m(); ++d)
      for (int s = 0; s < N.nspec(); ++s) A.at(v, d)[s] = N.at(s, v + d, s, v);
  return A;
}

// x -= N_st f_t for neighbours s and t.
void subtract_coupling(const Blocks& N, int reach, int s, int t, const double* f, double* x) {
  for (int w = 0; w < N.m(); ++w) {
    double sum = 0;
    for (int v = std::max(0, w - reach); v <= std::min(N.m() - 1, w + reach); ++v)
      sum += N.at(s, w, t, v) * f[v];
    x[w] -= sum;
  }
}

// y_s less what the neighbours of s hold of it.
std::vector<double> without_neighbours(const Blocks& N, int reach, int s,
                                       const std::vector<double>& y, const std::vector<double>& f) {
  const std::ptrdiff_t m = N.m();
  std::vector<double> x(y.begin() + s * m, y.begin() + (s + 1) * m);
  for (const int t : {s - 1, s + 1})
    if (t >= 0 && t < N.nspec()) subtract_coupling(N, reach, s, t, f.data() + t * m, x.data());
  return x;
}

// N_ss f.
std::vector<double> block_times(const Blocks& N, int reach, int s, const std::vector<double>& f) {
  std::vector<double> x(f.size(), 0.0);
  for (int v = 0; v < N.m(); ++v)
    for (int w = v; w <= std::min(N.m() - 1, v + reach); ++w) {
      x[w] += N.at(s, w, s, v) * f[v];
      if (w > v) x[v] += N.at(s, w, s, v) * f[w];
    }
  return x;
}

// f = N^-1 y by sweeps: spectra of even number, then those of odd number, which see the new ones.
std::vector<double> solve(const Blocks& N, int reach, const BandBatch& L,
                          const std::vector<double>& y) {
  std::vector<double> f(y.size(), 0.0);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (const int colour : {0, 1})
      for (int s = colour; s < N.nspec(); s += 2) {
        std::vector<double> x = without_neighbours(N, reach, s, y, f);
        L.solve_lane(s, x.data());
        std::copy(x.begin(), x.end(), f.begin() + static_cast<std::ptrdiff_t>(s) * N.m());
      }
  return f;
}

// V_ts = L_t^-1 N_ts, [row][column], with N_tt = L_t L_t^T.
std::vector<double> half_solved_coupling(const Blocks& N, int reach, const BandBatch& L, int t,
                                         int s) {
  const int m = N.m();
  std::vector<double> V(count_of(m, m), 0.0);
  for (int w = 0; w < m; ++w)
    for (int v = std::max(0, w - reach); v <= std::min(m - 1, w + reach); ++v)
      V[w * m + v] = N.at(t, w, s, v);
  L.forward_solve_lane(t, m, reach + 1, V.data());
  return V;
}

// rho^2 = || L_s^-1 N_st L_t^-T ||_F^2 from V_ts.
double coupling_squared(const BandBatch& L, int s, const std::vector<double>& V) {
  const int m = L.n();
  std::vector<double> X(V.size());
  for (int w = 0; w < m; ++w)
    for (int v = 0; v < m; ++v) X[v * m + w] = V[w * m + v];
  L.forward_solve_lane(s, m, m, X.data());
  return cblas_ddot(m * m, X.data(), 1, X.data(), 1);
}

// D_s = sum over neighbours t of V_ts^T V_ts = N_st N_tt^-1 N_ts, both triangles, and the square of
// the largest coupling.
struct Correction {
  std::vector<double> D;
  double rho2 = 0;
};
Correction correction(const Blocks& N, int reach, const BandBatch& L, int s) {
  const int m = N.m();
  const std::size_t rows = m;
  Correction c;
  c.D.assign(rows * rows, 0.0);
  for (const int t : {s - 1, s + 1}) {
    if (t < 0 || t >= N.nspec()) continue;
    const std::vector<double> V = half_solved_coupling(N, reach, L, t, s);
    c.rho2 = std::max(c.rho2, coupling_squared(L, s, V));
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, m, m, 1.0, V.data(), m, 1.0, c.D.data(),
                m);
  }
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = j + 1; i < rows; ++i) c.D[i * rows + j] = c.D[j * rows + i];
  return c;
}

// P = N_ss - D within the band of N: lane 0.
BandBatch band_of_P(const Blocks& N, int reach, int s, const std::vector<double>& D) {
  BandBatch P(N.m(), reach, 1);
  for (int v = 0; v < N.m(); ++v)
    for (int d = 0; d <= P.reach() && v + d < N.m(); ++d)
      P.at(v, d)[0] = N.at(s, v + d, s, v) - D[v * N.m() + v + d];
  return P;
}

std::vector<double> times(const BandBatch& A, const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (int j = 0; j < A.n(); ++j) {
    const std::size_t at = j;
    y[at] += A.at(j, 0)[0] * x[at];
    for (int d = 1; d <= A.reach() && j + d < A.n(); ++d) {
      const std::size_t below = j + d;
      y[below] += A.at(j, d)[0] * x[at];
      y[at] += A.at(j, d)[0] * x[below];
    }
  }
  return y;
}

void subtract_product(const std::vector<double>& D, const std::vector<double>& x,
                      std::vector<double>& y) {
  const int m = static_cast<int>(x.size());
  cblas_dgemv(CblasColMajor, CblasNoTrans, m, m, -1.0, D.data(), m, x.data(), 1, 1.0, y.data(), 1);
}

double norm_inf(const BandBatch& A) {
  std::vector<double> sum(A.n(), 0.0);
  for (int j = 0; j < A.n(); ++j)
    for (int d = 0; d <= A.reach() && j + d < A.n(); ++d) {
      const double a = std::abs(A.at(j, d)[0]);
      sum[j] += a;
      if (d > 0) sum[j + d] += a;
    }
  return *std::max_element(sum.begin(), sum.end());
}

// Systems A + shift_k of a matrix A, and the weights of their inverses in A^(-1/2).
struct Poles {
  std::vector<double> shift;
  std::vector<double> weight;
  [[nodiscard]] int count() const { return static_cast<int>(shift.size()); }
};

Poles make_poles(double least, double largest) {
  int n = pole_step;
  while (n < most_poles && zolotarev_error(n, least / largest) > root_error) n += pole_step;
  Poles poles;
  for (int k = 0; k < n; ++k) {
    const ZolotarevPole pole = zolotarev_pole(k, n, least, largest);
    poles.shift.push_back(pole.shift);
    poles.weight.push_back(pole.weight);
  }
  return poles;
}

BandBatch shifted(const BandBatch& A, const Poles& poles) {
  BandBatch shifted(A.n(), A.reach(), poles.count());
  for (int j = 0; j < A.n(); ++j)
    for (int d = 0; d <= A.reach(); ++d)
      for (int k = 0; k < poles.count(); ++k)
        shifted.at(j, d)[k] = A.at(j, d)[0] + (d == 0 ? poles.shift[k] : 0.0);
  return shifted;
}

// sum_k weight_k x_k of x [n][poles].
std::vector<double> weighted_sum(const Poles& poles, const std::vector<double>& x) {
  const std::size_t count = poles.count();
  std::vector<double> sum(x.size() / count, 0.0);
  for (std::size_t i = 0; i < sum.size(); ++i)
    for (std::size_t k = 0; k < count; ++k) sum[i] += poles.weight[k] * x[i * count + k];
  return sum;
}

// P^(-1/2) v, and the same without what P holds beyond its band: P = P_b - E, so that
// (P + shift)^-1 = X + X E X + ..., X = (P_b + shift)^-1. Terms beyond the first in E are less
// than its square.
struct InverseRootTimes {
  std::vector<double> of_P;
  std::vector<double> of_band;
};
InverseRootTimes inverse_root_times(const BandBatch& L, const Poles& poles,
                                    const std::vector<double>& E, const std::vector<double>& v) {
  const int n = L.n();
  const int count = poles.count();
  const auto size = count_of(n, count);
  std::vector<double> x(size);
  for (std::size_t i = 0; i < v.size(); ++i)
    std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(i) * count, count, v[i]);
  L.solve(x.data());
  std::vector<double> Ex(size);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, count, n, 1.0, E.data(), n, x.data(),
              count, 0.0, Ex.data(), count);
  L.solve(Ex.data());
  InverseRootTimes result;
  result.of_band = weighted_sum(poles, x);
  for (std::size_t i = 0; i < size; ++i) x[i] += Ex[i];
  result.of_P = weighted_sum(poles, x);
  return result;
}

// The band of Q = P_b^(1/2) = sum_k weight_k (1 - shift_k (P_b + shift_k)^-1); L holds the factors.
BandBatch band_of_root(const BandBatch& L, const Poles& poles) {
  const BandBatch Z = L.inverse_band();
  BandBatch Q(L.n(), L.reach(), 1);
  for (int j = 0; j < L.n(); ++j)
    for (int d = 0; d <= L.reach(); ++d) {
      double sum = 0;
      for (int k = 0; k < poles.count(); ++k) {
        const std::size_t pole = k;
        sum += poles.weight[pole] * ((d == 0 ? 1 : 0) - poles.shift[pole] * Z.at(j, d)[k]);
      }
      Q.at(j, d)[0] = sum;
    }
  return Q;
}

// Adds flux, ivar and R of one spectrum. y: the right-hand side of P f = y.
FiberGuard add_spectrum(const BandBatch& P, const std::vector<double>& D, int ndiag,
                        const std::vector<double>& y, Decorrelated& result) {
  const int m = P.n();
  const std::size_t rows = m;
  BandBatch inverse = P;
  if (!inverse.factor()) return FiberGuard::not_positive;
  inverse = inverse.inverse_band();
  double trace = 0;
  for (int j = 0; j < m; ++j) trace += inverse.at(j, 0)[0];
  const double norm = norm_inf(P);
  if (!(norm * trace < fiber_bounds::condition)) return FiberGuard::condition;

  // The eigenvalues of P lie between 1 / tr(P^-1) and its norm; a little room for rounding.
  const Poles poles = make_poles(0.999 / trace, 1.001 * norm);
  BandBatch L = shifted(P, poles);
  if (!L.factor()) return FiberGuard::not_positive;

  std::vector<double> E = D;
  for (int j = 0; j < m; ++j)
    for (int i = std::max(0, j - P.reach()); i <= std::min(m - 1, j + P.reach()); ++i)
      E[j * m + i] = 0;
  const InverseRootTimes ones = inverse_root_times(L, poles, E, std::vector<double>(rows, 1.0));
  const InverseRootTimes Qf = inverse_root_times(L, poles, E, y);
  // r = Q 1 = P (P^(-1/2) 1), with all of P.
  std::vector<double> r = times(P, ones.of_P);
  subtract_product(E, ones.of_P, r);
  const std::vector<double> r_band = times(P, ones.of_band);
  for (std::size_t j = 0; j < rows; ++j)
    if (!(std::abs(r_band[j] - r[j]) <= fiber_bounds::outside * std::abs(r[j])))
      return FiberGuard::outside_the_band;

  for (std::size_t j = 0; j < rows; ++j) {
    result.flux.push_back(Qf.of_P[j] / r[j]);
    result.ivar.push_back(r[j] * r[j]);
  }
  const BandBatch Q = band_of_root(L, poles);
  std::vector<double> R(rows * rows, 0.0);
  for (int j = 0; j < m; ++j)
    for (int d = 0; d <= std::min(ndiag, m - 1 - j); ++d) {
      const double q = Q.at(j, d)[0];
      const int i = j + d;
      R[j * m + i] = q / r[i];
      R[i * m + j] = q / r[j];
    }
  result.R.push_back(std::move(R));
  return FiberGuard::none;
}

}  // namespace

FiberGuard decorrelate_fibers(const NormalEquations& equations, const BlockRange& blocks,
                              Decorrelated& result, StageTimes& times_of_stages,
                              const ReplaceF& replace_f) {
  result = {};
  const int m = blocks.nwave;
  const Blocks N(equations, m);
  std::vector<BandBatch> P;
  std::vector<std::vector<double>> D;
  std::vector<std::vector<double>> y;
  {
    const StageTimer timer(times_of_stages, Stage::solve);
    if (!spectra_far_apart_are_apart(N)) return FiberGuard::far_spectra;
    int reach = std::max(reach_of(N), blocks.ndiag);
    if (m <= small_P) reach = m - 1;
    BandBatch L = diagonal_blocks(N, reach);
    if (!L.factor()) return FiberGuard::not_positive;
    for (int s = blocks.spec_first; s < blocks.spec_first + blocks.nspec; ++s) {
      Correction c = correction(N, reach, L, s);
      if (!(c.rho2 <= fiber_bounds::coupling * fiber_bounds::coupling)) return FiberGuard::coupling;
      P.push_back(band_of_P(N, reach, s, c.D));
      D.push_back(std::move(c.D));
    }
    result.f = solve(N, reach, L, equations.y);
    if (replace_f) replace_f(result.f);
    for (int s = blocks.spec_first; s < blocks.spec_first + blocks.nspec; ++s) {
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(s) * m;
      const std::vector<double> f(result.f.begin() + first, result.f.begin() + first + m);
      // P_s f_s; what solves N f = y has it without the loss of digits of the product.
      y.push_back(replace_f ? block_times(N, reach, s, f)
                            : without_neighbours(N, reach, s, equations.y, result.f));
      subtract_product(D[s - blocks.spec_first], f, y.back());
    }
  }
  const StageTimer timer(times_of_stages, Stage::decorrelate);
  for (std::size_t s = 0; s < P.size(); ++s) {
    const FiberGuard guard = add_spectrum(P[s], D[s], blocks.ndiag, y[s], result);
    if (guard != FiberGuard::none) return guard;
  }
  return all_finite(result) ? FiberGuard::none : FiberGuard::not_positive;
}

}  // namespace spex
