#include "reference/extract/frame_flux.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/core/parallel.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/normal_equations.hpp"
#include "reference/extract/prior.hpp"
#include "reference/extract/projection.hpp"
#include "reference/extract/row_cover.hpp"

namespace spex {
namespace {

using Places = std::vector<std::uint32_t>;

// The patches that hold fibers [first, first + nspec).
std::vector<Patch> patches_of_fibers(const ExtractInputs& inputs, int first, int nspec) {
  ExtractOptions options = inputs.options;
  options.specmin = first;
  options.nspec = nspec;
  return make_patches(options, inputs.grid, inputs.psf->nfiber);
}

// The step in whose core bin w lies; beyond the grid's ends the nearest.
int step_of(const ExtractInputs& inputs, int w) {
  return std::clamp(w, 0, inputs.grid.nwave - 1) / inputs.options.nwavestep;
}

// m of a patch (extraction.md, section 4); 0 where it has no pixels.
double patch_prior_scale(const ExtractInputs& inputs, const Patch& patch, const PatchSpots& spots) {
  const Pixels& pixels = *inputs.pixels;
  const PixelRange range =
      used_pixels(spots, patch.wavepad, inputs.options.pixpad_frac, pixels.nx, pixels.ny);
  if (range.nx() == 0 || range.ny() == 0) return 0;
  return prior_scale(apply_transpose(spots, range, cut_pixels(pixels, range).W));
}

double largest_weight(const Pixels& pixels) {
  return pixels.weight.visit([](const auto& weight) {
    return weight.empty() ? 0.0
                          : static_cast<double>(*std::max_element(weight.begin(), weight.end()));
  });
}

// A fiber's part of N f = y, with the prior.
struct Fiber {
  std::unique_ptr<Spots> own;  // the spots of a fiber beyond the bundle
  FiberSpots spots;
  FiberEquations equations;          // without the prior
  std::vector<double> m;             // of the prior [step]
  BandMatrix N;                      // with the prior
  BandMatrix L;                      // its factor
  bool positive = false;             // whether there is one
  std::vector<double> root;          // sqrt(N_jj) [nwave]
  std::vector<double> f;             // [nwave]
  std::vector<FiberCoupling> lower;  // [d - 1]: N_st with t = s - d
};

class BundleSolver {
 public:
  BundleSolver(const ExtractInputs& inputs, int bundle, const Spots& spots, int before, int threads,
               StageTimes& times)
      : inputs_(inputs),
        threads_(threads),
        times_(times),
        core_(fibers_of_bundle(inputs, bundle)),
        grid_(extended_grid(inputs.options, inputs.grid)),
        first_(core_.begin),
        largest_weight_(spex::largest_weight(*inputs.pixels)) {
    const StageTimer timer(times_, Stage::assemble);
    find_core_priors(spots, before);
    for (int s = core_.begin; s < core_.end; ++s) {
      fibers_.emplace_back();
      fibers_.back().spots = {&spots, s - core_.begin, before, grid_.nwave};
    }
    parallel_for(threads_, core_.end - core_.begin, [&](int, int s) { assemble(core_.begin + s); });
    parallel_for(threads_, core_.end - core_.begin, [&](int, int s) { couple(core_.begin + s); });
    find_colors();
  }

  FrameFlux solve(const TestFibers& test) {
    FrameFlux flux;
    solution_ = FrameSolution::sweeps;
    solve_all();
    for (int beyond = 1; beyond <= frame_bounds::max_beyond; ++beyond) {
      const std::vector<double> before = core_f();
      if (!add_fibers(beyond)) break;
      flux.beyond = beyond;
      solve_all();
      if (largest_move(before) <= std::max(frame_bounds::settled, 2 * left_)) break;
    }
    while (test && all_finite(core_f())) {
      const Places places = test(solved());
      if (places.empty()) break;
      assemble_again(places);
      solve_all();
    }
    flux.f = core_f();
    flux.solution = all_finite(flux.f) ? solution_ : FrameSolution::failed;
    flux.spec_first = core_.begin;
    flux.nspec = core_.end - core_.begin;
    flux.grid = grid_;
    return flux;
  }

 private:
  [[nodiscard]] Fiber& fiber(int s) { return fibers_[s - first_]; }
  [[nodiscard]] int last() const { return first_ + static_cast<int>(fibers_.size()); }
  [[nodiscard]] bool in_core(int s) const { return s >= core_.begin && s < core_.end; }

  [[nodiscard]] std::vector<SolvedFiber> solved() {
    std::vector<SolvedFiber> all;
    for (int s = first_; s < last(); ++s) {
      const Fiber& one = fiber(s);
      all.push_back({one.spots, one.f.data(), one.positive ? &one.L : nullptr, in_core(s)});
    }
    return all;
  }

  void find_core_priors(const Spots& spots, int before) {
    const std::vector<Patch> patches =
        patches_of_fibers(inputs_, core_.begin, core_.end - core_.begin);
    const int count = static_cast<int>(patches.size());
    core_priors_.resize(patches.size());
    nsteps_ = step_of(inputs_, inputs_.grid.nwave) + 1;
    parallel_for(threads_, count, [&](int, int p) {
      const Patch& patch = patches[p];
      core_priors_[p] = patch_prior_scale(inputs_, patch,
                                          {&spots, patch.padded_spec_first() - core_.begin,
                                           patch.padded_wave_first() - grid_.first + before,
                                           patch.padded_nspec(), patch.padded_nwave()});
    });
  }

  // m at each step of a fiber. Beyond the bundle it is found only where a bin may need it: one of
  // little light, for m is no more than 1e-4 of the largest weight.
  [[nodiscard]] std::vector<double> priors_of(int s, const std::vector<double>& q) const {
    const int sub_size = inputs_.options.bundlesize / inputs_.options.nsubbundles;
    std::vector<double> m(nsteps_, 0.0);
    if (in_core(s)) {
      const auto first = core_priors_.begin() + (s - core_.begin) / sub_size * nsteps_;
      std::copy(first, first + nsteps_, m.begin());
      return m;
    }
    std::vector<bool> wanted(nsteps_, false);
    for (int w = 0; w < grid_.nwave; ++w)
      if (q[w] > 0 && q[w] <= 1e-4 * largest_weight_)
        wanted[step_of(inputs_, grid_.first + w)] = true;
    const std::vector<Patch> patches = patches_of_fibers(inputs_, s, 1);
    for (int step = 0; step < nsteps_; ++step) {
      if (!wanted[step]) continue;
      const Patch& patch = patches[step];
      const Spots spots = evaluate_spots(
          *inputs_.psf, patch.padded_spec_first(), patch.padded_nspec(),
          inputs_.grid.range(patch.padded_wave_first(), patch.padded_nwave()), threads_);
      m[step] = patch_prior_scale(inputs_, patch,
                                  {&spots, 0, 0, patch.padded_nspec(), patch.padded_nwave()});
    }
    return m;
  }

  // N_ss with the prior, its factor, and y.
  void assemble(int s) {
    Fiber& one = fiber(s);
    one.equations = assemble_fiber(one.spots, *inputs_.pixels);
    one.m = priors_of(s, one.equations.q);
    one.f.assign(one.equations.y.size(), 0.0);
    add_prior(one);
  }

  void add_prior(Fiber& one) const {
    one.N = one.equations.N;
    one.root.clear();
    for (int w = 0; w < grid_.nwave; ++w) {
      one.N.at(w, 0) += prior(one.equations.q[w], one.m[step_of(inputs_, grid_.first + w)],
                              inputs_.options.regularize);
      one.root.push_back(std::sqrt(one.N.at(w, 0)));
    }
    one.L = one.N;
    one.positive = one.L.factor();
  }

  // The bins of a fiber whose spots hold one of the pixels.
  [[nodiscard]] std::vector<int> bins_at(const Fiber& one, const Places& places) const {
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
    parallel_for(threads_, static_cast<int>(fibers_.size()), [&](int, int k) {
      Fiber& one = fibers_[k];
      const std::vector<int> bins = bins_at(one, places);
      if (bins.empty()) return;
      assemble_bins(one.spots, *inputs_.pixels, bins, one.equations);
      add_prior(one);
      for (std::size_t d = 0; d < one.lower.size(); ++d)
        assemble_rows(one.spots, fibers_[k - 1 - static_cast<int>(d)].spots, *inputs_.pixels, bins,
                      one.lower[d]);
    });
  }

  // Its blocks with the fibers below it.
  void couple(int s) {
    Fiber& one = fiber(s);
    for (int t = s - 1; t >= first_; --t)
      one.lower.push_back(assemble_coupling(one.spots, fiber(t).spots, *inputs_.pixels));
  }

  // Fibers as many numbers apart share nothing, and can be solved side by side.
  void find_colors() {
    colors_ = 1;
    for (const Fiber& one : fibers_)
      for (std::size_t d = 0; d < one.lower.size(); ++d)
        if (!one.lower[d].is_zero()) colors_ = std::max(colors_, static_cast<int>(d) + 2);
  }

  // The fibers `beyond` away from the bundle on either side; false where there are none, or they
  // share no light with those that are there: f of these is what it is without them.
  bool add_fibers(int beyond) {
    const int below = core_.begin - beyond;
    const int above = core_.end - 1 + beyond;
    bool shares = false;
    if (below >= 0) {
      --first_;
      fibers_.emplace_front();
      add(below);
      for (int s = first_ + 1; s < last(); ++s) {
        fiber(s).lower.push_back(
            assemble_coupling(fiber(s).spots, fiber(below).spots, *inputs_.pixels));
        shares = shares || !fiber(s).lower.back().is_zero();
      }
    }
    if (above < inputs_.psf->nfiber) {
      fibers_.emplace_back();
      add(above);
      couple(above);
      for (const FiberCoupling& one : fiber(above).lower) shares = shares || !one.is_zero();
    }
    find_colors();
    return shares;
  }

  void add(int s) {
    Fiber& one = fiber(s);
    {
      const StageTimer timer(times_, Stage::spots);
      one.own = std::make_unique<Spots>(evaluate_spots(
          *inputs_.psf, s, 1, inputs_.grid.range(grid_.first, grid_.nwave), threads_));
    }
    const StageTimer timer(times_, Stage::assemble);
    one.spots = {one.own.get(), 0, 0, grid_.nwave};
    assemble(s);
  }

  void solve_all() {
    const StageTimer timer(times_, Stage::solve);
    if (solution_ == FrameSolution::sweeps && solve_by_sweeps()) return;
    solution_ = solve_directly();
  }

  // The largest change of a bin in units of 1 / sqrt(N_jj).
  [[nodiscard]] double largest_move(const std::vector<double>& before) {
    double largest = 0;
    for (int s = core_.begin; s < core_.end; ++s) {
      const Fiber& one = fiber(s);
      const double* old = before.data() + count_of(s - core_.begin, grid_.nwave);
      for (int w = 0; w < grid_.nwave; ++w)
        largest = std::max(largest, std::abs(one.f[w] - old[w]) * one.root[w]);
    }
    return largest;
  }

  bool solve_by_sweeps() {
    for (const Fiber& one : fibers_)
      if (!one.positive) return false;
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < frame_bounds::max_sweeps; ++k) {
      const double now = sweep();
      const double next = frame_bounds::next_move(before, now);
      left_ = next <= frame_bounds::foreseen ? next : now;
      if (frame_bounds::ended(before, now)) return true;
      before = now;
    }
    return false;
  }

  // f_s <- N_ss^-1 (y_s - sum_t N_st f_t) for all s, a color after the other. The largest move.
  double sweep() {
    std::vector<double> moves(fibers_.size(), 0.0);
    for (int color = 0; color < colors_; ++color) {
      std::vector<int> of_color;
      for (int s = first_; s < last(); ++s)
        if (s % colors_ == color) of_color.push_back(s);
      parallel_for(threads_, static_cast<int>(of_color.size()), [&](int, int k) {
        const int s = of_color[k];
        moves[s - first_] = solve_fiber(s);
      });
    }
    return *std::max_element(moves.begin(), moves.end());
  }

  double solve_fiber(int s) {
    Fiber& one = fiber(s);
    std::vector<double> x = one.equations.y;
    for (int t = s - 1; t >= first_; --t)
      one.lower[s - 1 - t].subtract(fiber(t).f.data(), x.data());
    for (int t = s + 1; t < last(); ++t)
      fiber(t).lower[t - 1 - s].subtract_transposed(fiber(t).f.data(), x.data());
    one.L.solve(x.data());
    double move = 0;
    for (int w = 0; w < grid_.nwave; ++w)
      move = std::max(move, std::abs(x[w] - one.f[w]) * one.root[w]);
    one.f = std::move(x);
    return move;
  }

  // All fibers as one band in the order of wavelength, row w nspec + s.
  FrameSolution solve_directly() {
    left_ = 0;
    const int nspec = static_cast<int>(fibers_.size());
    const BandMatrix N = whole(nspec);
    double largest = 0;
    for (int j = 0; j < N.n; ++j) largest = std::max(largest, N.at(j, 0));
    for (const double lift : {0.0, 1e-14 * largest}) {
      BandMatrix L = N;
      for (int j = 0; j < L.n; ++j) L.at(j, 0) += lift;
      if (!L.factor()) continue;
      std::vector<double> x(count_of(L.n));
      for (int s = 0; s < nspec; ++s)
        for (int w = 0; w < grid_.nwave; ++w) x[w * nspec + s] = fibers_[s].equations.y[w];
      L.solve(x.data());
      for (int s = 0; s < nspec; ++s)
        for (int w = 0; w < grid_.nwave; ++w) fibers_[s].f[w] = x[w * nspec + s];
      return lift == 0 ? FrameSolution::direct : FrameSolution::lifted;
    }
    return FrameSolution::failed;
  }

  [[nodiscard]] BandMatrix whole(int nspec) const {
    int reach = 0;
    for (const Fiber& one : fibers_) {
      reach = std::max(reach, one.N.reach);
      for (const FiberCoupling& N : one.lower) reach = std::max(reach, N.reach);
    }
    BandMatrix A(nspec * grid_.nwave, std::min(reach * nspec + nspec, nspec * grid_.nwave) - 1);
    const auto put = [&](int i, int j, double a) { A.at(std::min(i, j), std::abs(i - j)) = a; };
    for (int s = 0; s < nspec; ++s) {
      const Fiber& one = fibers_[s];
      for (int w = 0; w < grid_.nwave; ++w)
        for (int d = 0; d <= one.N.reach && w + d < grid_.nwave; ++d)
          put((w + d) * nspec + s, w * nspec + s, one.N.at(w, d));
      for (int t = s - 1; t >= 0; --t)
        one.lower[s - 1 - t].visit(
            [&](int w, int v, double a) { put(w * nspec + s, v * nspec + t, a); });
    }
    return A;
  }

  std::vector<double> core_f() {
    std::vector<double> f;
    for (int s = core_.begin; s < core_.end; ++s)
      f.insert(f.end(), fiber(s).f.begin(), fiber(s).f.end());
    return f;
  }

  const ExtractInputs& inputs_;
  int threads_;
  StageTimes& times_;
  BundleFibers core_;
  ExtendedGrid grid_;
  int first_;  // fiber
  double largest_weight_;
  int nsteps_ = 0;
  std::vector<double> core_priors_;  // m [subbundle][step]
  std::deque<Fiber> fibers_;         // of the bundle, and beyond it
  int colors_ = 1;
  FrameSolution solution_ = FrameSolution::sweeps;
  double left_ = 0;  // what sweeps have left to be moved, at most
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

BundleFibers fibers_of_bundle(const ExtractInputs& inputs, int bundle) {
  const int size = inputs.options.bundlesize;
  return {bundle * size, std::min((bundle + 1) * size, inputs.psf->nfiber)};
}

double light_shared_beyond(const ExtractInputs& inputs, int bundle) {
  constexpr int every = 100;
  const BundleFibers fibers = fibers_of_bundle(inputs, bundle);
  const ExtendedGrid grid = extended_grid(inputs.options, inputs.grid);
  const Psf& psf = *inputs.psf;
  double largest = 0;
  for (const int lower : {fibers.begin - 1, fibers.end - 1}) {
    if (lower < 0 || lower + 1 >= psf.nfiber) continue;
    // Most bundles lie so far apart that their spots share no pixel.
    std::vector<double> wave;
    for (int w = 0; w < grid.nwave; w += every) {
      const double lambda = inputs.grid.at(grid.first + w);
      const Center a = spot_center(psf, lower, lambda);
      const Center b = spot_center(psf, lower + 1, lambda);
      const bool apart = std::abs(a.x - b.x) > psf.nx() + 1 || std::abs(a.y - b.y) > psf.ny() + 1;
      if (!apart) wave.push_back(lambda);
    }
    const Spots spots = evaluate_spots(psf, lower, 2, wave);
    for (int w = 0; w < spots.nwave; ++w) {
      if (!spots.is_lit(0, w) || !spots.is_lit(1, w)) continue;
      const auto norm = [&](int s) { return overlap_of_spots(spots, s, w, s, w); };
      const double shared = overlap_of_spots(spots, 0, w, 1, w);
      largest = std::max(largest, shared / std::sqrt(norm(0) * norm(1)));
    }
  }
  return largest;
}

FrameFlux solve_frame(const ExtractInputs& inputs, int bundle, const Spots& spots, int threads,
                      StageTimes& times, const TestFibers& test, int before) {
  return BundleSolver(inputs, bundle, spots, before, threads, times).solve(test);
}

}  // namespace spex
