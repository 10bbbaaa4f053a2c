#include "reference/extract/frame_flux.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/core/parallel.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/frame_prior.hpp"
#include "reference/extract/frame_system.hpp"
#include "reference/extract/prior.hpp"
#include "reference/extract/row_cover.hpp"

namespace spex {
namespace {

using Places = std::vector<std::uint32_t>;

class BundleSolver {
 public:
  BundleSolver(const ExtractInputs& inputs, const BundleSpots& of, double foreseen, int threads,
               StageTimes& times)
      : inputs_(inputs),
        threads_(threads),
        times_(times),
        core_(fibers_of_bundle(inputs, of.bundle)),
        grid_(extended_grid(inputs.options, inputs.grid)),
        prior_(inputs, core_, grid_, threads) {
    const StageTimer timer(times_, Stage::assemble);
    prior_.find_core(of.spots, of.before);
    system_.first = core_.begin;
    system_.foreseen = foreseen;
    for (int s = core_.begin; s < core_.end; ++s) {
      system_.fibers.emplace_back();
      system_.fibers.back().spots = {&of.spots, s - core_.begin, of.before, grid_.nwave};
    }
    parallel_for(threads_, core_.end - core_.begin, [&](int, int s) { assemble(core_.begin + s); });
    parallel_for(threads_, core_.end - core_.begin, [&](int, int s) { couple(core_.begin + s); });
  }

  FrameFlux solve(const TestFibers& test) {
    FrameFlux flux;
    solve_all();
    for (int beyond = 1; beyond <= frame_bounds::max_beyond; ++beyond) {
      const std::vector<double> before = core_f();
      if (!add_fibers(beyond)) break;
      flux.beyond = beyond;
      solve_all();
      if (largest_move(before) <= std::max(frame_bounds::settled, 2 * found_.left)) break;
    }
    while (test && all_finite(core_f())) {
      const Places places = test(solved());
      if (places.empty()) break;
      assemble_again(places);
      solve_all();
    }
    flux.f = core_f();
    flux.solution = all_finite(flux.f) ? found_.solution : FrameSolution::failed;
    flux.spec_first = core_.begin;
    flux.nspec = core_.end - core_.begin;
    flux.grid = grid_;
    return flux;
  }

 private:
  [[nodiscard]] std::vector<SolvedFiber> solved() {
    std::vector<SolvedFiber> all;
    for (int s = system_.first; s < system_.last(); ++s) {
      const FrameFiber& one = system_.fiber(s);
      all.push_back({one.spots, one.f.data(), one.positive ? &one.L : nullptr, core_.holds(s)});
    }
    return all;
  }

  // N_ss with the prior, its factor, and y.
  void assemble(int s) {
    FrameFiber& one = system_.fiber(s);
    one.equations = assemble_fiber(one.spots, *inputs_.pixels);
    one.m = prior_.of_fiber(s, one.equations.q);
    one.f.assign(one.equations.y.size(), 0.0);
    add_prior(one);
  }

  void add_prior(FrameFiber& one) const {
    one.N = one.equations.N;
    one.root.clear();
    for (int w = 0; w < grid_.nwave; ++w) {
      one.N.at(w, 0) += prior(one.equations.q[w], one.m[prior_.step_of(grid_.first + w)],
                              inputs_.options.regularize);
      one.root.push_back(std::sqrt(one.N.at(w, 0)));
    }
    one.L = one.N;
    one.positive = one.L.factor();
  }

  // The bins of a fiber whose spots hold one of the pixels.
  [[nodiscard]] std::vector<int> bins_at(const FrameFiber& one, const Places& places) const {
    std::vector<char> touched(count_of(grid_.nwave), 0);
    const std::vector<RowCover> rows =
        row_covers(one.spots, {0, inputs_.pixels->nx, 0, inputs_.pixels->ny});
    for (const std::uint32_t place : places) {
      const int x = static_cast<int>(place) % inputs_.pixels->nx;
      const RowCover& row = rows[static_cast<int>(place) / inputs_.pixels->nx];
      if (x < row.x0 || x >= row.x1) continue;
      std::fill(touched.begin() + row.w0, touched.begin() + row.w1, 1);
    }
    std::vector<int> bins;
    for (int w = 0; w < grid_.nwave; ++w)
      if (touched[w] != 0) bins.push_back(w);
    return bins;
  }

  // Computes again what depends on the weights of these pixels. m stays.
  void assemble_again(const Places& places) {
    const StageTimer timer(times_, Stage::assemble);
    parallel_for(threads_, static_cast<int>(system_.fibers.size()), [&](int, int k) {
      FrameFiber& one = system_.fibers[k];
      const std::vector<int> bins = bins_at(one, places);
      if (bins.empty()) return;
      assemble_bins(one.spots, *inputs_.pixels, bins, one.equations);
      add_prior(one);
      for (std::size_t d = 0; d < one.lower.size(); ++d)
        assemble_rows(one.spots, system_.fibers[k - 1 - static_cast<int>(d)].spots, *inputs_.pixels,
                      bins, one.lower[d]);
    });
  }

  // Its blocks with the fibers below it.
  void couple(int s) {
    FrameFiber& one = system_.fiber(s);
    for (int t = s - 1; t >= system_.first; --t)
      one.lower.push_back(assemble_coupling(one.spots, system_.fiber(t).spots, *inputs_.pixels));
  }

  // The fibers `beyond` away from the bundle on either side; false where there are none, or they
  // share no light with those that are there: f of these is what it is without them.
  bool add_fibers(int beyond) {
    const int below = core_.begin - beyond;
    const int above = core_.end - 1 + beyond;
    bool shares = false;
    if (below >= 0) {
      --system_.first;
      system_.fibers.emplace_front();
      add(below);
      for (int s = system_.first + 1; s < system_.last(); ++s) {
        system_.fiber(s).lower.push_back(
            assemble_coupling(system_.fiber(s).spots, system_.fiber(below).spots, *inputs_.pixels));
        shares = shares || !system_.fiber(s).lower.back().is_zero();
      }
    }
    if (above < inputs_.psf->nfiber) {
      system_.fibers.emplace_back();
      add(above);
      couple(above);
      for (const FiberCoupling& one : system_.fiber(above).lower) shares = shares || !one.is_zero();
    }
    return shares;
  }

  void add(int s) {
    FrameFiber& one = system_.fiber(s);
    {
      const StageTimer timer(times_, Stage::spots);
      one.own = std::make_unique<Spots>(evaluate_spots(
          *inputs_.psf, s, 1, inputs_.grid.range(grid_.first, grid_.nwave), threads_));
    }
    const StageTimer timer(times_, Stage::assemble);
    one.spots = {one.own.get(), 0, 0, grid_.nwave};
    assemble(s);
  }

  // Once sweeps have failed, N is factored as a whole from then on.
  void solve_all() {
    const StageTimer timer(times_, Stage::solve);
    found_ = solve_system(system_, found_.solution == FrameSolution::sweeps, threads_);
  }

  // The largest change of a bin in units of 1 / sqrt(N_jj).
  [[nodiscard]] double largest_move(const std::vector<double>& before) {
    double largest = 0;
    for (int s = core_.begin; s < core_.end; ++s) {
      const FrameFiber& one = system_.fiber(s);
      const double* old = before.data() + count_of(s - core_.begin, grid_.nwave);
      for (int w = 0; w < grid_.nwave; ++w)
        largest = std::max(largest, std::abs(one.f[w] - old[w]) * one.root[w]);
    }
    return largest;
  }

  std::vector<double> core_f() {
    std::vector<double> f;
    for (int s = core_.begin; s < core_.end; ++s)
      f.insert(f.end(), system_.fiber(s).f.begin(), system_.fiber(s).f.end());
    return f;
  }

  const ExtractInputs& inputs_;
  int threads_;
  StageTimes& times_;
  BundleFibers core_;
  ExtendedGrid grid_;
  FramePrior prior_;
  FrameSystem system_;  // the fibers of the bundle, and beyond it
  SystemSolution found_;
};

}  // namespace

void FrameFlux::put_into(const Patch& patch, std::vector<double>& patch_f) const {
  for (int s = 0; s < patch.padded_nspec(); ++s) {
    const double* from =
        f.data() + count_of(patch.padded_spec_first() + s - spec_first, grid.nwave);
    for (int w = 0; w < patch.padded_nwave(); ++w) {
      const int bin = patch.padded_wave_first() + w;
      if (grid.holds(bin))
        patch_f[count_of(s, patch.padded_nwave()) + count_of(w)] = from[bin - grid.first];
    }
  }
}

FrameFlux solve_frame(const ExtractInputs& inputs, const BundleSpots& of, int threads,
                      StageTimes& times, const TestFibers& test) {
  const double foreseen = test ? frame_bounds::foreseen_of_test : frame_bounds::foreseen;
  return BundleSolver(inputs, of, foreseen, threads, times).solve(test);
}

}  // namespace spex
