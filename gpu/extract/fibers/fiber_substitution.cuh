// Substitution through the factor of a spectrum's band, one thread per right-hand side; `factor`
// holds 1 / d_j and L as in FiberSolution::factor.
#pragma once

namespace spex::gpu {

/// Solves L x = a, from element `begin` on; earlier elements of a must be 0. `next(w)` returns
/// element w of a, `take(w, x)` receives x_w. The R elements that x_w changes are in registers, at
/// their distance from `begin` modulo R + 1.
template <int R, class Next, class Take>
__device__ void forward(int begin, int m, const double* factor, const Next& next,
                        const Take& take) {
  double window[R + 1];
  double l[R + 1];
#pragma unroll
  for (int d = 0; d <= R; ++d) {
    window[d] = begin + d < m ? next(begin + d) : 0.0;
    l[d] = factor[begin * (R + 1) + d];
  }
  for (int base = begin; base < m; base += R + 1) {
#pragma unroll
    for (int r = 0; r <= R; ++r) {
      const int w = base + r;
      if (w >= m) break;
      // Load before storing the previous element; the compiler could not exclude aliasing.
      const double entering = w + R + 1 < m ? next(w + R + 1) : 0.0;
      double l_next[R + 1];
#pragma unroll
      for (int d = 1; d <= R; ++d) l_next[d] = w + 1 < m ? factor[(w + 1) * (R + 1) + d] : 0.0;
      const double x = window[r];
#pragma unroll
      for (int d = 1; d <= R; ++d) window[(r + d) % (R + 1)] -= l[d] * x;
      take(w, x);
      window[r] = entering;
#pragma unroll
      for (int d = 1; d <= R; ++d) l[d] = l_next[d];
    }
  }
}

/// Solves L^T x = D^-1 a in place, with D^-1 at factor[w (R + 1)], from the last element to the
/// first.
template <int R>
__device__ void backward(int m, const double* factor, double* x) {
  // Row w of L, l[d] = L(w, w - d).
  const auto load = [&](int w, double(&l)[R + 1]) {
    const double* row = factor + w * (R + 1);
    if (w >= R) {
#pragma unroll
      for (int d = 1; d <= R; ++d) l[d] = row[-d * R];
    } else {
#pragma unroll
      for (int d = 1; d <= R; ++d) l[d] = w >= d ? row[-d * R] : 0.0;
    }
  };
  const auto next = [&](int w) { return w >= 0 ? x[w] * factor[w * (R + 1)] : 0.0; };
  double window[R + 1];  // at the distance from the last element modulo R + 1
  double l[R + 1];
#pragma unroll
  for (int d = 0; d <= R; ++d) window[d] = next(m - 1 - d);
  load(m - 1, l);
  for (int base = m - 1; base >= 0; base -= R + 1) {
#pragma unroll
    for (int r = 0; r <= R; ++r) {
      const int w = base - r;
      if (w < 0) break;
      // Load before storing the previous element; the compiler could not exclude aliasing.
      const double entering = next(w - R - 1);
      double l_next[R + 1];
      load(w - 1, l_next);
      const double value = window[r];
#pragma unroll
      for (int d = 1; d <= R; ++d) window[(r + d) % (R + 1)] -= l[d] * value;
      x[w] = value;
      window[r] = entering;
#pragma unroll
      for (int d = 1; d <= R; ++d) l[d] = l_next[d];
    }
  }
}

}  // namespace spex::gpu
