#include "reference/linalg/band_lanes.hpp"

#include "reference/core/simd/lanes.hpp"

namespace spex::SPEX_INSTRUCTION_SET {
namespace {

constexpr int group = Lanes::count;
// Calls function<R>() with R = reach where loops of that length are unrolled, else R = 0.
template <class Function>
SPEX_LANES_INLINE auto with_reach(int reach, const Function& function) {
  switch (reach) {
    case 5:
      return function.template operator()<5>();
    case 6:
      return function.template operator()<6>();
    case 7:
      return function.template operator()<7>();
    case 8:
      return function.template operator()<8>();
    case 9:
      return function.template operator()<9>();
    case 10:
      return function.template operator()<10>();
    default:
      return function.template operator()<0>();
  }
}

// One group of the lanes of bands.
template <int R>
struct Bands {
  int n, reach_, lanes;
  SPEX_LANES_INLINE Bands(const BandShape& shape)
      : n(shape.n), reach_(shape.reach), lanes(shape.lanes) {}
  SPEX_LANES_INLINE int reach() const { return R > 0 ? R : reach_; }
  SPEX_LANES_INLINE long at(int j, int d) const {
    return (static_cast<long>(j) * (reach() + 1) + d) * lanes;
  }
};

SPEX_LANES_INLINE int lesser_of(int a, int b) {
  return a < b ? a : b;
}

// Elements 1 ... `most` that all sums of a column take, at `place(c)`. They stay in registers where
// R tells their number: the compiler would load them again after each store.
template <int R, class Place>
class Shared {
 public:
  SPEX_LANES_INLINE Shared(int most, const Place& place) : place_(place) {
    if constexpr (R > 0) {
#pragma GCC unroll 16
      for (int c = 1; c <= most; ++c) kept_[c - 1] = load(place(c));
    }
  }
  SPEX_LANES_INLINE Lanes operator()(int c) const {
    if constexpr (R > 0) return kept_[c - 1];
    return load(place_(c));
  }

 private:
  const Place& place_;
  Lanes kept_[R > 0 ? R : 1]{};
};

// Column j from those before: A(j + d, j) less l(j, k) u(j + d, k), u = l d_k, from the first k on.
// `most` is reach() where j >= reach(), known when this is compiled.
template <int R>
SPEX_LANES_INLINE Lanes factor_column(const Bands<R>& b, double* a, double* u, int j, int most) {
  const int reach = b.reach();
  const auto place = [&](int c) { return a + b.at(j - c, c); };
  const Shared<R, decltype(place)> l(most, place);
  const auto sum = [&](int d) {
    Lanes left = load(a + b.at(j, d));
#pragma GCC unroll 16
    for (int c = lesser_of(most, reach - d); c > 0; --c)
      left -= l(c) * load(u + (static_cast<long>(j - c) * (reach + 1) + d + c) * group);
    store(left, u + (static_cast<long>(j) * (reach + 1) + d) * group);
    return left;
  };
  const Lanes pivot = sum(0);
  const Lanes inverse = 1.0 / pivot;
  store(inverse, a + b.at(j, 0));
#pragma GCC unroll 16
  for (int d = 1; d <= reach; ++d) store(sum(d) * inverse, a + b.at(j, d));
  return pivot;
}

template <int R>
bool factor_group(const Bands<R>& b, double* a, double* u) {
  Lanes least = 1.0, sum = 0.0;
  const int head = lesser_of(b.reach(), b.n);
  for (int j = 0; j < b.n; ++j) {
    const Lanes pivot =
        j < head ? factor_column(b, a, u, j, j) : factor_column(b, a, u, j, b.reach());
    least = lesser(least, pivot);
    sum += pivot - pivot;  // 0, but NaN where a pivot is not finite
  }
  double smallest[group], zero[group];
  store(least, smallest);
  store(sum, zero);
  bool good = true;
  for (int k = 0; k < group; ++k) good = good && smallest[k] > 0 && zero[k] == 0;
  return good;
}

bool factor_bands(const BandShape& shape, double* a, double* scratch) {
  return with_reach(shape.reach, [&]<int R>() {
    bool good = true;
    for (int k = 0; k < shape.lanes; k += group)
      good = factor_group(Bands<R>(shape), a + k, scratch) && good;
    return good;
  });
}

template <int C, int R>
SPEX_LANES_INLINE void forward_row(const Bands<R>& b, const double* L, double* x, int j, int most) {
  Lanes sum[C];
#pragma GCC unroll 2
  for (int c = 0; c < C; ++c) sum[c] = load(x + (static_cast<long>(j) * C + c) * b.lanes);
#pragma GCC unroll 16
  for (int k = most; k > 0; --k) {
    const Lanes l = load(L + b.at(j - k, k));
#pragma GCC unroll 2
    for (int c = 0; c < C; ++c)
      sum[c] -= l * load(x + (static_cast<long>(j - k) * C + c) * b.lanes);
  }
#pragma GCC unroll 2
  for (int c = 0; c < C; ++c) store(sum[c], x + (static_cast<long>(j) * C + c) * b.lanes);
}

template <int C, int R>
SPEX_LANES_INLINE void backward_row(const Bands<R>& b, const double* L, double* x, int j,
                                    int most) {
  Lanes sum[C];
#pragma GCC unroll 2
  for (int c = 0; c < C; ++c)
    sum[c] = load(x + (static_cast<long>(j) * C + c) * b.lanes) * load(L + b.at(j, 0));
#pragma GCC unroll 16
  for (int d = most; d > 0; --d) {
    const Lanes l = load(L + b.at(j, d));
#pragma GCC unroll 2
    for (int c = 0; c < C; ++c)
      sum[c] -= l * load(x + (static_cast<long>(j + d) * C + c) * b.lanes);
  }
#pragma GCC unroll 2
  for (int c = 0; c < C; ++c) store(sum[c], x + (static_cast<long>(j) * C + c) * b.lanes);
}

template <int C, int R>
void solve_group(const Bands<R>& b, const double* L, double* x) {
  const int reach = b.reach();
  const int head = lesser_of(reach, b.n);
  for (int j = 0; j < head; ++j) forward_row<C>(b, L, x, j, j);
  for (int j = head; j < b.n; ++j) forward_row<C>(b, L, x, j, reach);
  int j = b.n - 1;
  for (; j >= 0 && j + reach >= b.n; --j) backward_row<C>(b, L, x, j, b.n - 1 - j);
  for (; j >= 0; --j) backward_row<C>(b, L, x, j, reach);
}

void solve_bands(const BandShape& shape, const double* L, int nrhs, double* x) {
  with_reach(shape.reach, [&]<int R>() {
    for (int k = 0; k < shape.lanes; k += group) {
      if (nrhs == 1)
        solve_group<1>(Bands<R>(shape), L + k, x + k);
      else
        solve_group<2>(Bands<R>(shape), L + k, x + k);
    }
  });
}

// With Z = A^-1, Z L = L^-T diag(d)^-1 is upper triangular with diagonal 1 / d_j, so that from the
// last column back (Takahashi's equations)
//   Z_ij = -sum_p Z_ip l_pj for i > j,   Z_jj = 1 / d_j - sum_p Z_jp l_pj,   j < p <= j + reach.
template <int R>
SPEX_LANES_INLINE void invert_column(const Bands<R>& b, const double* L, double* Z, int j,
                                     int last) {
  Lanes diagonal = load(L + b.at(j, 0));
  const auto place = [&](int e) { return L + b.at(j, e); };
  const Shared<R, decltype(place)> l(last, place);
#pragma GCC unroll 16
  for (int d = 1; d <= last; ++d) {
    Lanes z = 0.0;
#pragma GCC unroll 16
    for (int e = 1; e <= last; ++e)
      z -= l(e) * load(Z + (d < e ? b.at(j + d, e - d) : b.at(j + e, d - e)));
    store(z, Z + b.at(j, d));
  }
#pragma GCC unroll 16
  for (int e = 1; e <= last; ++e) diagonal -= l(e) * load(Z + b.at(j, e));
  store(diagonal, Z + b.at(j, 0));
  for (int d = last + 1; d <= b.reach(); ++d) store(0.0, Z + b.at(j, d));
}

void invert_bands(const BandShape& shape, const double* L, double* Z) {
  with_reach(shape.reach, [&]<int R>() {
    const Bands<R> b(shape);
    for (int k = 0; k < shape.lanes; k += group) {
      int j = b.n - 1;
      for (; j >= 0 && j + b.reach() >= b.n; --j) invert_column(b, L + k, Z + k, j, b.n - 1 - j);
      for (; j >= 0; --j) invert_column(b, L + k, Z + k, j, b.reach());
    }
  });
}

void shift_band(const BandShape& shape, const double* A, const double* shift, double* a) {
  for (int j = 0; j < shape.n; ++j)
    for (int d = 0; d <= shape.reach; ++d, ++A, a += shape.lanes)
      for (int k = 0; k < shape.lanes; k += group)
        store(d == 0 ? Lanes(*A) + load(shift + k) : Lanes(*A), a + k);
}

void half_solve(const BandFactor& L, int columns, int first, double* X) {
  const auto [n, reach, l, inverse] = L;
  with_reach(reach, [&]<int R>() {
    const int most = R > 0 ? R : reach;
    for (int i = 0; i < n; ++i) {
      double* row = X + static_cast<long>(i) * columns;
      const int end = lesser_of(columns, first + i);
      const auto eight = [&](int c, int terms) {
        Lanes sum = load(row + c);
#pragma GCC unroll 16
        for (int k = terms; k > 0; --k)
          sum -= Lanes(l[static_cast<long>(i - k) * (most + 1) + k]) *
                 load(row + c - static_cast<long>(k) * columns);
        store(sum * inverse[i], row + c);
      };
      if (i < most)
        for (int c = 0; c < end; c += group) eight(c, i);
      else
        for (int c = 0; c < end; c += group) eight(c, most);
    }
  });
}

void subtract_neighbors(const BandShape& shape, const double* before, const double* after,
                        const double* f, const double* y, double* x) {
  const int width = 2 * shape.reach + 1;
  const long row = shape.lanes + 2 * group;
  for (int w = 0; w < shape.n; ++w)
    for (int k = 0; k < shape.lanes; k += group) {
      const long at = static_cast<long>(w) * width * shape.lanes + k;
      Lanes from_before = 0.0, from_after = 0.0;
      for (int d = 0; d < width; ++d) {
        const double* of_bin = f + (w + d) * row + group + k;
        from_before += load(before + at + static_cast<long>(d) * shape.lanes) * load(of_bin - 1);
        from_after += load(after + at + static_cast<long>(d) * shape.lanes) * load(of_bin + 1);
      }
      const long j = static_cast<long>(w) * shape.lanes + k;
      store(load(y + j) - from_before - from_after, x + j);
    }
}

void weighted_sums(int n, int lanes, const double* weight, const double* x, double* sum) {
  for (int i = 0; i < n; ++i) {
    Lanes of_groups = 0.0;
    for (int k = 0; k < lanes; k += group)
      of_groups += load(weight + k) * load(x + static_cast<long>(i) * lanes + k);
    sum[i] = sum_of_lanes(of_groups);
  }
}

void band_of_root(const BandShape& shape, const double* weight, const double* shift,
                  const double* Z, double* Q) {
  const int width = shape.reach + 1;
  for (int j = 0; j < shape.n; ++j)
    for (int d = 0; d < width; ++d) {
      const long at = static_cast<long>(j) * width + d;
      Lanes sum = 0.0;
      for (int k = 0; k < shape.lanes; k += group)
        sum += load(weight + k) *
               (Lanes(d == 0 ? 1.0 : 0.0) - load(shift + k) * load(Z + at * shape.lanes + k));
      Q[at] = sum_of_lanes(sum);
    }
}

}  // namespace

extern const BandKernels band_kernels_of_set{&factor_bands,  &solve_bands, &invert_bands,
                                             &shift_band,    &half_solve,  &subtract_neighbors,
                                             &weighted_sums, &band_of_root};

}  // namespace spex::SPEX_INSTRUCTION_SET
