#include "reference/linalg/dense_lanes.hpp"

#include "reference/core/simd/lanes.hpp"
#include "reference/core/simd/transpose.hpp"

namespace spex::SPEX_INSTRUCTION_SET {
namespace {

constexpr int group = Lanes::count;
// Sums that stay in registers: of so many rows.
constexpr int tile = group / Lanes::parts > 2 ? group / Lanes::parts : 2;

void add_gram(int n, int columns, int first, const double* V, double* D) {
  for (int b = 0; b < columns; b += group) {
    const int begin = b - first + 1 > 0 ? b - first + 1 : 0;
    for (int a = 0; a < b + group; a += tile) {
      Lanes sum[tile];
#pragma GCC unroll 8
      for (int k = 0; k < tile; ++k) sum[k] = 0.0;
      for (int i = begin; i < n; ++i) {
        const double* row = V + static_cast<long>(i) * columns;
        const Lanes right = load(row + b);
#pragma GCC unroll 8
        for (int k = 0; k < tile; ++k) sum[k] += Lanes(row[a + k]) * right;
      }
#pragma GCC unroll 8
      for (int k = 0; k < tile; ++k) {
        double* to = D + static_cast<long>(a + k) * columns + b;
        store(load(to) + sum[k], to);
      }
    }
  }
}

void mirror(int columns, double* D) {
  for (int b = 0; b < columns; b += group) {
    for (int a = 0; a < b; a += group) {
      Lanes block[group];
#pragma GCC unroll 8
      for (int k = 0; k < group; ++k) block[k] = load(D + static_cast<long>(a + k) * columns + b);
      transpose(block);
#pragma GCC unroll 8
      for (int k = 0; k < group; ++k) store(block[k], D + static_cast<long>(b + k) * columns + a);
    }
    for (int j = b; j < b + group; ++j)
      for (int i = b; i < j; ++i)
        D[static_cast<long>(j) * columns + i] = D[static_cast<long>(i) * columns + j];
  }
}

template <int Rows, int Groups>
SPEX_LANES_INLINE void multiply_tile(int n, int stride, const double* E, int lanes, const double* X,
                                     double* Y) {
  Lanes sum[Rows][Groups];
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 2
    for (int g = 0; g < Groups; ++g) sum[i][g] = 0.0;
  for (int j = 0; j < n; ++j) {
    Lanes x[Groups];
#pragma GCC unroll 2
    for (int g = 0; g < Groups; ++g) x[g] = load(X + static_cast<long>(j) * lanes + g * group);
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      const Lanes e = E[static_cast<long>(i) * stride + j];
#pragma GCC unroll 2
      for (int g = 0; g < Groups; ++g) sum[i][g] += e * x[g];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 2
    for (int g = 0; g < Groups; ++g) store(sum[i][g], Y + static_cast<long>(i) * lanes + g * group);
}

template <int Groups>
void multiply_groups(int n, int stride, const double* E, int lanes, const double* X, double* Y) {
  constexpr int rows = tile;
  int i = 0;
  for (; i + rows <= n; i += rows)
    multiply_tile<rows, Groups>(n, stride, E + static_cast<long>(i) * stride, lanes, X,
                                Y + static_cast<long>(i) * lanes);
  for (; i < n; ++i)
    multiply_tile<1, Groups>(n, stride, E + static_cast<long>(i) * stride, lanes, X,
                             Y + static_cast<long>(i) * lanes);
}

void multiply(int n, int stride, const double* E, int lanes, const double* X, double* Y) {
  int k = 0;
  if (Lanes::parts == 1)
    for (; k + 2 * group <= lanes; k += 2 * group)
      multiply_groups<2>(n, stride, E, lanes, X + k, Y + k);
  for (; k < lanes; k += group) multiply_groups<1>(n, stride, E, lanes, X + k, Y + k);
}

void subtract_product(int n, int stride, const double* E, const double* x, double* y) {
  for (int i = 0; i < n; i += group) {
    Lanes sum = 0.0;
    for (int j = 0; j < n; ++j) sum += load(E + static_cast<long>(j) * stride + i) * x[j];
    store(load(y + i) - sum, y + i);
  }
}

double sum_of_magnitudes(int n, int stride, const double* D, const double* z) {
  Lanes sum = 0.0;
  for (int i = 0; i < n; i += group) {
    Lanes column = 0.0;
    for (int j = 0; j < n; ++j)
      column += magnitude(load(D + static_cast<long>(j) * stride + i)) * z[j];
    sum += column * load(z + i);
  }
  return sum_of_lanes(sum);
}

double largest_column(int n, int stride, const double* E) {
  Lanes smallest = 0.0;  // of the negative sums
  for (int i = 0; i < n; i += group) {
    Lanes column = 0.0;
    for (int j = 0; j < n; ++j) column -= magnitude(load(E + static_cast<long>(j) * stride + i));
    smallest = lesser(column, smallest);
  }
  double of_lanes[group], largest = 0;
  store(smallest, of_lanes);
  for (const double sum : of_lanes)
    if (-sum > largest) largest = -sum;
  return largest;
}

}  // namespace

extern const DenseKernels dense_kernels_of_set{
    &add_gram, &mirror, &multiply, &subtract_product, &sum_of_magnitudes, &largest_column};

}  // namespace spex::SPEX_INSTRUCTION_SET
