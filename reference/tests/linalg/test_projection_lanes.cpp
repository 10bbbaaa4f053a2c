// The kernels of the projection against plain sums, and every instruction set against every other.
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "reference/core/count.hpp"
#include "reference/core/simd/aligned.hpp"
#include "reference/linalg/band_lanes.hpp"
#include "reference/linalg/projection_lanes.hpp"

namespace spex {
namespace {

AlignedDoubles random_numbers(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  AlignedDoubles numbers(n);
  for (double& x : numbers) x = uniform(random);
  return numbers;
}

// A of a spectrum in a row of pixels.
struct Row {
  int bins, lanes;
  AlignedDoubles A;
  Row(int bins_of_row, int pixels, unsigned seed)
      : bins(bins_of_row),
        lanes(whole_groups(bins)),
        A(random_numbers(count_of(pixels, lanes), seed)) {
    for (int x = 0; x < pixels; ++x)
      for (int w = bins; w < lanes; ++w) A[count_of(x, lanes) + count_of(w)] = 0;
  }
  [[nodiscard]] RowOfA view() const { return {bins, lanes, A.data()}; }
  [[nodiscard]] double at(int x, int w) const { return A[count_of(x, lanes) + count_of(w)]; }
};

class ProjectionKernelsOf : public testing::TestWithParam<Instructions> {
 protected:
  const ProjectionKernels& kernels_ = projection_kernels(GetParam());
};

// Columns of the first whole groups have a sum in each of eight lanes, the others one sum.
double sum_by_hand(const SpotPart& A, const double* v, int nx) {
  double k[8] = {}, beyond = 0;
  for (int y = 0; y < A.rows; ++y)
    for (int x = 0; x < A.columns; ++x) {
      double& sum = x < A.columns / 8 * 8 ? k[x % 8] : beyond;
      sum += A.spot[y * A.stride + x] * v[y * nx + x];
    }
  return ((k[0] + k[4]) + (k[2] + k[6])) + ((k[1] + k[5]) + (k[3] + k[7])) + beyond;
}

TEST_P(ProjectionKernelsOf, SumsAndModelsOfAPartOfASpot) {
  constexpr int rows = 11, nx = 40;
  const AlignedDoubles v = random_numbers(rows * nx, 6), w = random_numbers(rows * nx, 7);
  for (const int stride : {5, 13, 15, 17, 25})
    for (const int cut : {0, 1, 3}) {
      const AlignedDoubles spot = random_numbers(count_of(rows, stride), 8);
      const SpotPart A{stride - cut, rows - cut, stride, spot.data() + cut};
      const double expected = sum_by_hand(A, v.data() + 2, nx);
      EXPECT_EQ(kernels_.sum(A, v.data() + 2, nx), expected);
      double both[2];
      kernels_.sums(A, w.data() + 1, v.data() + 2, nx, both);
      EXPECT_EQ(both[0], sum_by_hand(A, w.data() + 1, nx));
      EXPECT_EQ(both[1], expected);
      AlignedDoubles m = w;
      kernels_.add(A, 0.3, m.data() + 2, nx);
      for (int y = 0; y < rows; ++y)
        for (int x = 0; x < nx; ++x) {
          const std::size_t i = count_of(y, nx) + count_of(x);
          const bool inside = y < A.rows && x >= 2 && x < 2 + A.columns;
          ASSERT_EQ(m[i], inside ? w[i] + A.spot[y * stride + x - 2] * 0.3 : w[i]);
        }
    }
}

TEST_P(ProjectionKernelsOf, APartWithoutRowsIsZero) {
  EXPECT_EQ(kernels_.sum({}, nullptr, 1), 0);
}

TEST_P(ProjectionKernelsOf, WidenCopiesNumbersAndNothingElse) {
  for (const int n : {0, 1, 7, 8, 9, 61}) {
    std::vector<float> from;
    for (int i = 0; i < n; ++i) from.push_back(1.1F * static_cast<float>(i - 3));
    std::vector<double> to(n + 1, 5.0);
    kernels_.widen(n, from.data(), to.data());
    for (int i = 0; i < n; ++i) EXPECT_EQ(to[i], static_cast<double>(from[i]));
    EXPECT_EQ(to[n], 5.0);
  }
}

// Bins of a row at one place, and with one that is a column farther, cut, or absent.
TEST_P(ProjectionKernelsOf, PutRowWritesAllPixelsAndLanes) {
  constexpr int pixels = 20;
  const AlignedDoubles spots = random_numbers(30 * 17, 9);
  for (const int columns : {1, 7, 8, 9, 16, 17})
    for (const int bins : {1, 3, 7, 8, 9, 16, 17})
      for (const int odd_kind : {0, 1, 2, 3}) {
        std::vector<BinOfRow> of;
        for (int w = 0; w < bins; ++w) of.push_back({2, columns, spots.data() + w * 17});
        BinOfRow& odd = of[bins / 2];
        if (odd_kind == 1) odd.x = 3;
        if (odd_kind == 2) odd.columns -= 1;
        if (odd_kind == 3) odd = {};
        const int lanes = whole_groups(bins);
        AlignedDoubles A(count_of(pixels, lanes), 5.0);
        kernels_.put_row(of.data(), bins, pixels, A.data());
        for (int x = 0; x < pixels; ++x)
          for (int w = 0; w < lanes; ++w) {
            const bool on_spot = w < bins && x >= of[w].x && x < of[w].x + of[w].columns;
            ASSERT_EQ(A[count_of(x, lanes) + count_of(w)], on_spot ? of[w].spot[x - of[w].x] : 0.0)
                << columns << " " << bins << " " << odd_kind;
          }
      }
}

TEST_P(ProjectionKernelsOf, WeighMultipliesEachPixel) {
  const Row row(9, 5, 1);
  const AlignedDoubles W = random_numbers(5, 2);
  AlignedDoubles WA(row.A.size());
  kernels_.weigh(row.view(), 5, W.data(), WA.data());
  for (int x = 0; x < 5; ++x)
    for (int w = 0; w < row.lanes; ++w)
      EXPECT_EQ(WA[count_of(x, row.lanes) + count_of(w)], row.at(x, w) * W[x]);
}

// Sums run over the pixels in order, and are added to N as wholes.
TEST_P(ProjectionKernelsOf, ProductsAreSumsOverPixelsInOrder) {
  for (const int bins_of_t : {1, 7, 8, 9, 17})
    for (const int bins_of_s : {1, 2, 3, 7, 8, 9, 10, 11, 23})
      for (const int pixels : {1, 2, 17}) {
        const Row t(bins_of_t, pixels, 3), s(bins_of_s, pixels, 4);
        const int stride = t.lanes + 3;
        const AlignedDoubles before = random_numbers(count_of(bins_of_s, stride), 5);
        AlignedDoubles N = before;
        kernels_.add_products(t.view(), s.view(), pixels, N.data(), stride);
        for (int v = 0; v < bins_of_s; ++v)
          for (int w = 0; w < stride; ++w) {
            const std::size_t at = count_of(v, stride) + count_of(w);
            double sum = 0;
            for (int x = 0; x < pixels && w < t.lanes; ++x) sum += s.at(x, v) * t.at(x, w);
            ASSERT_EQ(N[at], before[at] + sum) << bins_of_t << " " << bins_of_s << " " << pixels;
          }
      }
}

INSTANTIATE_TEST_SUITE_P(Instructions, ProjectionKernelsOf,
                         testing::ValuesIn(available_instructions()),
                         [](const auto& set) { return to_string(set.param); });

}  // namespace
}  // namespace spex
