#include "reference/extract/frame_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "reference/core/count.hpp"
#include "reference/core/parallel.hpp"
#include "reference/extract/frame_flux.hpp"

namespace spex {
namespace {

// Fibers as many numbers apart share nothing, and can be solved side by side.
int colors_of(const FrameSystem& system) {
  int colors = 1;
  for (const FrameFiber& one : system.fibers)
    for (std::size_t d = 0; d < one.lower.size(); ++d)
      if (!one.lower[d].is_zero()) colors = std::max(colors, static_cast<int>(d) + 2);
  return colors;
}

// f_s <- N_ss^-1 (y_s - sum_t N_st f_t). The largest move in units of 1 / sqrt(N_jj).
double solve_fiber(FrameSystem& system, int s) {
  FrameFiber& one = system.fiber(s);
  std::vector<double> x = one.equations.y;
  for (int t = s - 1; t >= system.first; --t)
    one.lower[s - 1 - t].subtract(system.fiber(t).f.data(), x.data());
  for (int t = s + 1; t < system.last(); ++t)
    system.fiber(t).lower[t - 1 - s].subtract_transposed(system.fiber(t).f.data(), x.data());
  one.L.solve(x.data());
  double move = 0;
  for (std::size_t w = 0; w < x.size(); ++w)
    move = std::max(move, std::abs(x[w] - one.f[w]) * one.root[w]);
  one.f = std::move(x);
  return move;
}

// Solves all fibers, a color after the other. The largest move.
double sweep(FrameSystem& system, int colors, int threads) {
  std::vector<double> moves(system.fibers.size(), 0.0);
  for (int color = 0; color < colors; ++color) {
    std::vector<int> of_color;
    for (int s = system.first; s < system.last(); ++s)
      if (s % colors == color) of_color.push_back(s);
    parallel_for(threads, static_cast<int>(of_color.size()), [&](int, int k) {
      const int s = of_color[k];
      moves[s - system.first] = solve_fiber(system, s);
    });
  }
  return *std::max_element(moves.begin(), moves.end());
}

// What the sweeps have left to be moved, at most; nothing if they do not settle.
std::optional<double> solve_by_sweeps(FrameSystem& system, int threads) {
  for (const FrameFiber& one : system.fibers)
    if (!one.positive) return std::nullopt;
  const int colors = colors_of(system);
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < frame_bounds::max_sweeps; ++k) {
    const double now = sweep(system, colors, threads);
    const double next = frame_bounds::next_move(before, now);
    if (frame_bounds::ended(before, now, system.foreseen))
      return next <= system.foreseen ? next : now;
    before = now;
  }
  return std::nullopt;
}

// N of all fibers as one band in the order of wavelength, row w nspec + s.
BandMatrix whole_band(const FrameSystem& system, int nspec, int nwave) {
  int reach = 0;
  for (const FrameFiber& one : system.fibers) {
    reach = std::max(reach, one.N.reach);
    for (const FiberCoupling& N : one.lower) reach = std::max(reach, N.reach);
  }
  BandMatrix A(nspec * nwave, std::min(reach * nspec + nspec, nspec * nwave) - 1);
  const auto put = [&](int i, int j, double a) { A.at(std::min(i, j), std::abs(i - j)) = a; };
  for (int s = 0; s < nspec; ++s) {
    const FrameFiber& one = system.fibers[s];
    for (int w = 0; w < nwave; ++w)
      for (int d = 0; d <= one.N.reach && w + d < nwave; ++d)
        put((w + d) * nspec + s, w * nspec + s, one.N.at(w, d));
    for (int t = s - 1; t >= 0; --t)
      one.lower[s - 1 - t].visit(
          [&](int w, int v, double a) { put(w * nspec + s, v * nspec + t, a); });
  }
  return A;
}

FrameSolution solve_at_once(FrameSystem& system) {
  const int nspec = static_cast<int>(system.fibers.size());
  const int nwave = static_cast<int>(system.fibers.front().f.size());
  const BandMatrix N = whole_band(system, nspec, nwave);
  double largest = 0;
  for (int j = 0; j < N.n; ++j) largest = std::max(largest, N.at(j, 0));
  for (const double lift : {0.0, 1e-14 * largest}) {
    BandMatrix L = N;
    for (int j = 0; j < L.n; ++j) L.at(j, 0) += lift;
    if (!L.factor()) continue;
    std::vector<double> x(count_of(L.n));
    for (int s = 0; s < nspec; ++s)
      for (int w = 0; w < nwave; ++w) x[w * nspec + s] = system.fibers[s].equations.y[w];
    L.solve(x.data());
    for (int s = 0; s < nspec; ++s)
      for (int w = 0; w < nwave; ++w) system.fibers[s].f[w] = x[w * nspec + s];
    return lift == 0 ? FrameSolution::direct : FrameSolution::lifted;
  }
  return FrameSolution::failed;
}

}  // namespace

SystemSolution solve_system(FrameSystem& system, bool may_sweep, int threads) {
  if (may_sweep)
    if (const std::optional<double> left = solve_by_sweeps(system, threads))
      return {FrameSolution::sweeps, *left};
  return {solve_at_once(system), 0};
}

}  // namespace spex
