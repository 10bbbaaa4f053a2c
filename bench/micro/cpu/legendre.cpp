// Legendre sums of PSF parameters: one value a call, an array of wavelengths a call, and from
// polynomials that are evaluated once.
#include "reference/psf/legendre.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/micro/cpu/kernels.hpp"

namespace spex::bench {
namespace {

// c: coefficients [ncurve][ncoeff] of all parameters and fibers; u: [nwave].
struct Curves {
  std::vector<double> c;
  std::vector<double> u;
  int ncurve = 0;
  int ncoeff = 0;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(ncurve) * u.size(); }
  [[nodiscard]] const double* curve(int k) const {
    return c.data() + static_cast<std::ptrdiff_t>(k) * ncoeff;
  }
};

Curves make_curves(const KernelInput& input) {
  Curves curves;
  curves.c = input.psf.param;
  curves.ncurve = input.psf.nparam() * input.psf.nfiber;
  curves.ncoeff = input.psf.ncoeff;
  for (int w = 0; w < input.grid.nwave; ++w)
    curves.u.push_back(legendre_variable(input.grid.at(w), input.psf.wavemin, input.psf.wavemax));
  return curves;
}

// Not inlined: a caller that asks for a single value, as the code of 2019 did.
[[gnu::noinline]] double one_value(const double* c, int n, double u) {
  return legendre_sum(c, n, u);
}

void evaluate_scalar(const Curves& curves, std::vector<double>& values) {
  std::size_t to = 0;
  for (int k = 0; k < curves.ncurve; ++k)
    for (const double u : curves.u) values[to++] = one_value(curves.curve(k), curves.ncoeff, u);
}

// The recurrence over all wavelengths at once, anew for each curve.
void evaluate_vector(const Curves& curves, std::vector<double>& values) {
  const std::size_t nwave = curves.u.size();
  std::vector<double> previous(nwave);
  std::vector<double> P(nwave);
  for (int k = 0; k < curves.ncurve; ++k) {
    const double* c = curves.curve(k);
    double* out = values.data() + static_cast<std::size_t>(k) * nwave;
    for (std::size_t w = 0; w < nwave; ++w) {
      previous[w] = 0;
      P[w] = 1;
      out[w] = c[0];
    }
    for (int d = 0; d + 1 < curves.ncoeff; ++d) {
      const double a = (2.0 * d + 1) / (d + 1);
      const double b = static_cast<double>(d) / (d + 1);
      for (std::size_t w = 0; w < nwave; ++w) {
        const double next = a * curves.u[w] * P[w] - b * previous[w];
        previous[w] = P[w];
        P[w] = next;
        out[w] += c[d + 1] * next;
      }
    }
  }
}

// The polynomials of all wavelengths once, [d][w]; the curves are then sums of them.
void evaluate_cached(const Curves& curves, std::vector<double>& values) {
  const std::size_t nwave = curves.u.size();
  std::vector<double> P(static_cast<std::size_t>(curves.ncoeff) * nwave);
  for (std::size_t w = 0; w < nwave; ++w)
    for_each_legendre(curves.ncoeff, curves.u[w],
                      [&](int d, double p) { P[static_cast<std::size_t>(d) * nwave + w] = p; });
  for (int k = 0; k < curves.ncurve; ++k) {
    const double* c = curves.curve(k);
    double* out = values.data() + static_cast<std::size_t>(k) * nwave;
    for (std::size_t w = 0; w < nwave; ++w) out[w] = 0;
    for (int d = 0; d < curves.ncoeff; ++d) {
      const double* p = P.data() + static_cast<std::size_t>(d) * nwave;
      for (std::size_t w = 0; w < nwave; ++w) out[w] += c[d] * p[w];
    }
  }
}

using Evaluate = void (*)(const Curves&, std::vector<double>&);

void check(const Curves& curves, Evaluate evaluate) {
  std::vector<double> expected(curves.size());
  std::vector<double> values(curves.size());
  evaluate_scalar(curves, expected);
  evaluate(curves, values);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!(std::abs(values[k] - expected[k]) <= 1e-12 * (1 + std::abs(expected[k]))))
      throw std::runtime_error("legendre: the ways do not agree");
}

void run(benchmark::State& state, const KernelInput& input, Evaluate evaluate) {
  const Curves curves = make_curves(input);
  check(curves, evaluate);
  std::vector<double> values(curves.size());
  for (auto _ : state) {
    evaluate(curves, values);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(curves.size()));
}

}  // namespace

void add_legendre(const InputPointer& input) {
  const auto add = [&](const char* name, Evaluate evaluate) {
    benchmark::RegisterBenchmark(name, [input, evaluate](benchmark::State& state) {
      run(state, *input, evaluate);
    })->Unit(benchmark::kMillisecond);
  };
  add("legendre/scalar", evaluate_scalar);
  add("legendre/vector", evaluate_vector);
  add("legendre/cached", evaluate_cached);
}

}  // namespace spex::bench
