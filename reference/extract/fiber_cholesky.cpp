#include "reference/extract/fiber_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "reference/core/count.hpp"
#include "reference/extract/fiber_root.hpp"
#include "reference/linalg/band_batch.hpp"
#include "reference/linalg/dense_lanes.hpp"

namespace spex {
namespace {

// The band of P holds all of P where a spectrum has at most this many bins: a narrower band would
// save little.
constexpr int small_P = 16;

// Spectra two or more apart share no light, except for rounding.
bool far_spectra_share_no_light(const BlockBands& N) {
  const int m = N.m(), reach = N.reach();
  std::vector<double> norm;  // sqrt(N_jj)
  for (int s = 0; s < N.nspec(); ++s)
    for (int v = 0; v < m; ++v) norm.push_back(std::sqrt(N.column(s, s, v)[reach]));
  for (int s = 0; s < N.nspec(); ++s)
    for (int t = s + 2; t <= std::min(s + N.apart(), N.nspec() - 1); ++t)
      for (int v = 0; v < m; ++v) {
        const double* column = N.column(t, s, v) + reach - v;
        const double bound = fiber_bounds::far * norm[count_of(s, m) + count_of(v)];
        const double* norm_t = norm.data() + count_of(t, m);
        for (int w = std::max(0, v - reach); w <= std::min(m - 1, v + reach); ++w)
          if (column[w] != 0 && !(std::abs(column[w]) <= bound * norm_t[w])) return false;
      }
  return true;
}

// The blocks N_ss of all spectra, lane s.
BandBatch diagonal_blocks(const BlockBands& N, int reach) {
  BandBatch A(N.m(), reach, N.nspec());
  for (int s = 0; s < N.nspec(); ++s)
    for (int v = 0; v < N.m(); ++v)
      for (int d = 0; d <= N.reach() && v + d < N.m(); ++d)
        A.at(v, d)[s] = N.column(s, s, v)[d + N.reach()];
  return A;
}

// The sweeps that solve N f = y (extraction.md, section 5.1), with spectra as lanes.
class Sweeps {
 public:
  Sweeps(const BlockBands& N, const BandBatch& L, const std::vector<double>& y)
      : L_(L),
        shape_{N.m(), N.reach(), L.width()},
        kernels_(band_kernels(instructions_in_use())),
        before_(count_of(N.m(), 2 * N.reach() + 1, L.width()), 0.0),
        after_(before_),
        y_(count_of(N.m(), L.width()), 0.0),
        x_(y_),
        norm_(y_),
        f_(count_of(N.m() + 2 * N.reach(), row()), 0.0) {
    const int m = N.m();
    for (int s = 0; s < N.nspec(); ++s) {
      for (int w = 0; w < m; ++w) {
        y_[count_of(w, L.width()) + count_of(s)] = y[count_of(s, m) + count_of(w)];
        norm_[count_of(w, L.width()) + count_of(s)] = std::sqrt(N.column(s, s, w)[N.reach()]);
      }
      if (s + 1 == N.nspec() || N.apart() == 0) continue;
      // Element (w, v) of block (s + 1, s) acts on s + 1 from before, and on s from after.
      for (int v = 0; v < m; ++v)
        for (int w = std::max(0, v - N.reach()); w <= std::min(m - 1, v + N.reach()); ++w) {
          const double a = N.column(s + 1, s, v)[w - v + N.reach()];
          before_[at(w, v - w) + count_of(s + 1)] = a;
          after_[at(v, w - v) + count_of(s)] = a;
        }
    }
  }

  // Sweeps until the next one would move no bin.
  void run() {
    double before = 0, now = sweep();
    for (int done = 1; done < fiber_sweeps::most; ++done) {
      const bool enough = done >= fiber_sweeps::least;
      if (enough && fiber_sweeps::next_move(done, before, now) <= fiber_sweeps::cpu_settled) break;
      before = now;
      now = sweep();
    }
  }

  // x_s = y_s - N_st f_t, summed over the neighbors t of each spectrum s.
  void subtract_neighbors() {
    kernels_.subtract_neighbors(shape_, before_.data(), after_.data(), f_.data(), y_.data(),
                                x_.data());
  }
  [[nodiscard]] double x(int s, int w) const { return x_[count_of(w, shape_.lanes) + count_of(s)]; }

  // Spectrum-major.
  [[nodiscard]] std::vector<double> f() {
    std::vector<double> all;
    for (int s = 0; s < L_.lanes(); ++s)
      for (int w = 0; w < shape_.n; ++w) all.push_back(f(w)[s]);
    return all;
  }

 private:
  // Solves the even spectra, then the odd spectra with the new f of the even ones. Returns the
  // move.
  double sweep() {
    double move = 0;
    for (const int parity : {0, 1}) {
      subtract_neighbors();
      L_.solve(x_);
      for (int w = 0; w < shape_.n; ++w)
        for (int s = parity; s < L_.lanes(); s += 2) {
          const std::size_t k = count_of(w, shape_.lanes) + count_of(s);
          move = std::max(move, std::abs(x_[k] - f(w)[s]) * norm_[k]);
          f(w)[s] = x_[k];
        }
    }
    return move;
  }
  [[nodiscard]] int row() const { return shape_.lanes + 2 * lanes_of_group; }
  [[nodiscard]] double* f(int w) {
    return f_.data() + count_of(w + shape_.reach, row()) + lanes_of_group;
  }
  [[nodiscard]] std::size_t at(int w, int d) const {
    return count_of(w * (2 * shape_.reach + 1) + d + shape_.reach, shape_.lanes);
  }
  const BandBatch& L_;
  BandShape shape_;
  const BandKernels& kernels_;
  AlignedDoubles before_, after_;  // [bin][2 reach + 1][spectrum]
  AlignedDoubles y_, x_, norm_;    // [bin][spectrum]; norm: sqrt(N_jj)
  AlignedDoubles f_;               // the same, with zeros around it (band_lanes.hpp)
};

// V_ts = L_t^-1 N_ts, [row][column], with N_tt = L_t L_t^T; `stride` columns. t and s are
// neighbors. Row i is zero after column i + reach and, far after it, not set.
AlignedDoubles half_solved_coupling(const BlockBands& N, const BandBatch& L, int t, int s,
                                    int stride) {
  const int m = N.m(), reach = N.reach();
  AlignedDoubles V(count_of(m, stride));
  for (int i = 0; i < m; ++i)
    std::fill_n(V.data() + count_of(i, stride),
                std::min(stride, BandBatch::half_solve_reads(i, reach + 1, L.reach())), 0.0);
  for (int k = 0; k < m; ++k) {
    // Elements k - reach ... k + reach of column k of N_ts, or of row k where s is above t.
    const double* column = N.column(std::max(t, s), std::min(t, s), k) + reach - k;
    double* to = V.data() + (t > s ? count_of(k) : count_of(k, stride));
    const int step = t > s ? stride : 1;
    for (int i = std::max(0, k - reach); i <= std::min(m - 1, k + reach); ++i)
      to[i * step] = column[i];
  }
  L.half_solve(t, stride, reach + 1, V);
  return V;
}

// rho^2 = || L_s^-1 N_st L_t^-T ||_F^2.
double coupling_squared(const BlockBands& N, const BandBatch& L, int t, int s, int stride) {
  const int m = N.m();
  const AlignedDoubles V = half_solved_coupling(N, L, t, s, stride);
  AlignedDoubles X(V.size(), 0.0);
  for (int w = 0; w < m; ++w)
    for (int v = 0; v <= std::min(m - 1, w + N.reach()); ++v)
      X[count_of(v, stride) + count_of(w)] = V[count_of(w, stride) + count_of(v)];
  L.half_solve(s, stride, stride, X);
  double sum = 0;
  for (const double x : X) sum += x * x;
  return sum;
}

// D_s = sum over neighbors t of V_ts^T V_ts = N_st N_tt^-1 N_ts, both triangles.
AlignedDoubles complement(const BlockBands& N, const BandBatch& L, int s, int stride) {
  const DenseKernels& kernels = dense_kernels(instructions_in_use());
  AlignedDoubles D(count_of(stride, stride));
  // Blocks of eight by eight on and above the diagonal; `mirror` sets the others.
  for (int i = 0; i < stride; ++i) {
    const int first = i / lanes_of_group * lanes_of_group;
    std::fill_n(D.data() + count_of(i, stride) + first, stride - first, 0.0);
  }
  for (const int t : {s - 1, s + 1}) {
    if (t < 0 || t >= N.nspec() || N.apart() == 0) continue;
    const AlignedDoubles V = half_solved_coupling(N, L, t, s, stride);
    kernels.add_gram(N.m(), stride, N.reach() + 1, V.data(), D.data());
  }
  kernels.mirror(stride, D.data());
  return D;
}

// Whether spectrum s shares little light with its neighbors. rho^2 summed over both neighbors is
// tr N_ss^-1 D_s. As |(N_ss^-1)_ij| <= z_i z_j with z_i^2 = (N_ss^-1)_ii, the trace is at most
// sum_ij z_i |D_ij| z_j. Only where this bound is too large, rho itself is computed.
bool couplings_are_small(const BlockBands& N, const BandBatch& L, const BandBatch& inverse, int s,
                         int stride, const AlignedDoubles& D) {
  constexpr double bound = fiber_bounds::coupling * fiber_bounds::coupling;
  AlignedDoubles z(count_of(stride), 0.0);
  for (int w = 0; w < N.m(); ++w) z[w] = std::sqrt(inverse.at(w, 0)[s]);
  const DenseKernels& kernels = dense_kernels(instructions_in_use());
  if (kernels.sum_of_magnitudes(N.m(), stride, D.data(), z.data()) <= bound) return true;
  for (const int t : {s - 1, s + 1})
    if (t >= 0 && t < N.nspec() && !(coupling_squared(N, L, t, s, stride) <= bound)) return false;
  return true;
}

// N_ss f.
AlignedDoubles block_times(const BlockBands& N, int s, const double* f, int stride) {
  AlignedDoubles x(count_of(stride), 0.0);
  for (int v = 0; v < N.m(); ++v)
    for (int w = v; w <= std::min(N.m() - 1, v + N.reach()); ++w) {
      x[w] += N.at(s, w, s, v) * f[v];
      if (w > v) x[v] += N.at(s, w, s, v) * f[w];
    }
  return x;
}

// P_b = N_ss - D within the band; E holds D beyond the band.
SpectrumEquations equations_of_P(const BlockBands& N, int reach, int s, AlignedDoubles&& D,
                                 int stride, AlignedDoubles&& y) {
  SpectrumEquations e{N.m(),        reach,
                      stride,       std::vector<double>(count_of(N.m(), reach + 1), 0.0),
                      std::move(D), std::move(y)};
  for (int v = 0; v < e.m; ++v) {
    const double* of_N = N.column(s, s, v) + N.reach();
    double* of_P = e.P.data() + count_of(v, reach + 1);
    for (int d = 0; d <= reach && v + d < e.m; ++d) {
      double& below = e.E[count_of(v, stride) + count_of(v + d)];
      of_P[d] = (d <= N.reach() ? of_N[d] : 0) - below;
      below = e.E[count_of(v + d, stride) + count_of(v)] = 0;
    }
  }
  return e;
}

// P_b - shift_k of spectrum k in lane k.
BandBatch shifted_bands(const std::vector<SpectrumEquations>& all,
                        const std::vector<double>& shift) {
  const int m = all.front().m, reach = all.front().reach;
  BandBatch P(m, reach, static_cast<int>(all.size()));
  for (std::size_t k = 0; k < all.size(); ++k)
    for (int j = 0; j < m; ++j) {
      const double* column = all[k].P.data() + count_of(j, reach + 1);
      for (int d = 0; d <= reach; ++d) P.at(j, d)[k] = column[d];
      P.at(j, 0)[k] -= shift[k];
    }
  return P;
}

// Lower bounds of the eigenvalues of P_b: 1 / tr P_b^-1, and that times the largest of a few
// numbers for which P_b - shift has positive pivots (Sturm). With m bins the least eigenvalue is at
// most m times the first bound.
void raise_least(std::vector<SpectrumEquations>& all) {
  for (SpectrumEquations& e : all) e.least = 1 / e.trace_inverse;
  for (const double factor : {4.0, 7.0}) {
    std::vector<double> shift;
    for (const SpectrumEquations& e : all) shift.push_back(factor / e.trace_inverse);
    BandBatch P = shifted_bands(all, shift);
    const bool all_positive = P.factor();
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all_positive || P.positive(static_cast<int>(k))) all[k].least = shift[k];
  }
}

// tr P_b^-1 of all spectra, its part of the bins that become output, and the least eigenvalues;
// false where a pivot is not positive.
bool invert(std::vector<SpectrumEquations>& all, const BlockRange& blocks) {
  const int m = all.front().m;
  BandBatch P = shifted_bands(all, std::vector<double>(all.size(), 0.0));
  if (!P.factor()) return false;
  const BandBatch inverse = P.inverse_band();
  for (std::size_t k = 0; k < all.size(); ++k)
    for (int j = 0; j < m; ++j) {
      const double variance = inverse.at(j, 0)[k];
      all[k].trace_inverse += variance;
      if (j >= blocks.wavepad && j < blocks.wavepad + blocks.nkept) all[k].kept_inverse += variance;
    }
  raise_least(all);
  return true;
}

}  // namespace

FiberGuard decorrelate_fibers(const BandEquations& equations, const BlockRange& blocks,
                              Decorrelated& result, StageTimes& times_of_stages,
                              const ReplaceF& replace_f) {
  result = {};
  const BlockBands& N = equations.N;
  const int m = N.m();
  const int stride = whole_groups(m);
  std::vector<SpectrumEquations> spectra;
  {
    const StageTimer timer(times_of_stages, Stage::solve);
    if (!far_spectra_share_no_light(N)) return FiberGuard::far_spectra;
    const int reach = m <= small_P ? m - 1 : std::max(N.reach(), blocks.ndiag);
    BandBatch L = diagonal_blocks(N, reach);
    if (!L.factor()) return FiberGuard::not_positive;
    const BandBatch inverse = L.inverse_band();
    std::vector<AlignedDoubles> D;
    for (int s = blocks.spec_first; s < blocks.spec_first + blocks.nspec; ++s) {
      D.push_back(complement(N, L, s, stride));
      if (!couplings_are_small(N, L, inverse, s, stride, D.back())) return FiberGuard::coupling;
    }
    Sweeps sweeps(N, L, equations.y);
    sweeps.run();
    result.f = sweeps.f();
    if (replace_f)
      replace_f(result.f);
    else
      sweeps.subtract_neighbors();
    const DenseKernels& kernels = dense_kernels(instructions_in_use());
    for (int k = 0; k < blocks.nspec; ++k) {
      const int s = blocks.spec_first + k;
      const double* f = result.f.data() + count_of(s, m);
      // y = P_s f_s = (N_ss - D_s) f_s. Where N f = y, N_ss f_s is x of the sweeps, which has lost
      // no digits in a product.
      AlignedDoubles y(count_of(stride), 0.0);
      if (replace_f)
        y = block_times(N, s, f, stride);
      else
        for (int w = 0; w < m; ++w) y[w] = sweeps.x(s, w);
      kernels.subtract_product(m, stride, D[k].data(), f, y.data());
      spectra.push_back(equations_of_P(N, reach, s, std::move(D[k]), stride, std::move(y)));
    }
  }
  const StageTimer timer(times_of_stages, Stage::decorrelate);
  if (!invert(spectra, blocks)) return FiberGuard::not_positive;
  for (const SpectrumEquations& spectrum : spectra) {
    const FiberGuard guard = add_spectrum(spectrum, blocks.ndiag, result);
    if (guard != FiberGuard::none) return guard;
  }
  return all_finite(result, blocks) ? FiberGuard::none : FiberGuard::not_positive;
}

}  // namespace spex
