#include "reference/extract/reject_pixels.hpp"

#include <algorithm>
#include <climits>
#include <iterator>
#include <optional>
#include <utility>

#include "reference/core/count.hpp"
#include "reference/core/parallel.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/row_cover.hpp"

namespace spex {
namespace {

using Places = std::vector<std::uint32_t>;

// A fiber that was solved, where its spots are, and C_ss within the band of N_ss.
struct Seen {
  const SolvedFiber* fiber = nullptr;
  std::vector<RowCover> rows;
  std::vector<RowCover> tested;  // by spots of the extended grid; none beyond the bundle
  std::optional<BandMatrix> C;
};

// Calls visit(w, a) for each bin w of the fiber whose spot holds the pixels of row y; a is the row
// of the spot, from column xc(w) on.
template <class Visit>
void for_each_bin(const Seen& one, int y, const Visit& visit) {
  const FiberSpots& spots = one.fiber->spots;
  const RowCover& row = one.rows[y];
  for (int w = row.w0; w < row.w1; ++w) {
    const int dy = y - spots.yc(w);
    if (dy >= 0 && dy < spots.spots->ny) visit(w, spots.spot(w) + dy * spots.spots->nx);
  }
}

// The test of a bundle's pixels against the model of one solution.
class BundleTest {
 public:
  // `more`: the bins at both ends whose spots are not tested.
  BundleTest(const Pixels& pixels, const std::vector<SolvedFiber>& fibers, int more,
             const ExtractInputs& inputs, int threads)
      : pixels_(pixels),
        psferr_(inputs.psferr()),
        threshold_(inputs.options.reject_pixels.value()),
        threads_(threads) {
    seen_.resize(fibers.size());
    const PixelRange ccd{0, pixels.nx, 0, pixels.ny};
    parallel_for(threads_, static_cast<int>(fibers.size()), [&](int, int k) {
      Seen& one = seen_[k];
      one.fiber = &fibers[k];
      one.rows = row_covers(fibers[k].spots, ccd);
      if (fibers[k].in_bundle) {
        FiberSpots tested = fibers[k].spots;
        tested.wave0 += more;
        tested.nwave -= 2 * more;
        one.tested = row_covers(tested, ccd);
      }
      if (fibers[k].L != nullptr) one.C = fibers[k].L->band_of_inverse();
    });
    find_columns();
    model_.assign(count_of(pixels.ny, columns()), 0.0);
    parallel_for(threads_, pixels.ny, [&](int, int y) { add_model(y); });
  }

  // The places above the threshold, ascending. `rejected` are those of earlier rounds, ascending.
  [[nodiscard]] Places find(const Places& rejected) const {
    std::vector<Places> of_rows(count_of(pixels_.ny));
    parallel_for(threads_, pixels_.ny, [&](int, int y) { of_rows[y] = find_in_row(y, rejected); });
    Places all;
    for (const Places& row : of_rows) all.insert(all.end(), row.begin(), row.end());
    return all;
  }

 private:
  [[nodiscard]] int columns() const { return x1_ > x0_ ? x1_ - x0_ : 0; }
  [[nodiscard]] double* model_row(int y) { return model_.data() + count_of(y, columns()); }
  [[nodiscard]] const double* model_row(int y) const {
    return model_.data() + count_of(y, columns());
  }

  // The columns of the bundle's spots in any row.
  void find_columns() {
    x0_ = INT_MAX, x1_ = INT_MIN;
    for (const Seen& one : seen_)
      for (const RowCover& row : one.tested)
        x0_ = std::min(x0_, row.x0), x1_ = std::max(x1_, row.x1);
  }

  // m_i of a row.
  void add_model(int y) {
    double* const m = model_row(y);
    for (const Seen& one : seen_)
      for_each_bin(one, y, [&](int w, const double* a) {
        const FiberSpots& spots = one.fiber->spots;
        const double f = one.fiber->f[w];
        const int xc = spots.xc(w);
        const int end = std::min(xc + spots.spots->nx, x1_);
        for (int x = std::max(xc, x0_); x < end; ++x) m[x - x0_] += a[x - xc] * f;
      });
  }

  // M_i: the largest model of the pixel and its neighbors, at least 0.
  [[nodiscard]] double brightest_near(int x, int y) const {
    double brightest = 0;
    for (int v = std::max(y - 1, 0); v <= std::min(y + 1, pixels_.ny - 1); ++v)
      for (int u = std::max(x - 1, x0_); u <= std::min(x + 1, x1_ - 1); ++u)
        brightest = std::max(brightest, model_row(v)[u - x0_]);
    return brightest;
  }

  // sum_jk A_ij C_jk A_ik: the variance of m_i, without the covariance between fibers.
  [[nodiscard]] double model_variance(int x, int y) const {
    double sum = 0;
    std::vector<std::pair<int, double>> A;
    for (const Seen& one : seen_) {
      const RowCover& row = one.rows[y];
      if (!one.C || x < row.x0 || x >= row.x1) continue;
      const FiberSpots& spots = one.fiber->spots;
      A.clear();
      for_each_bin(one, y, [&](int w, const double* a) {
        const int dx = x - spots.xc(w);
        if (dx >= 0 && dx < spots.spots->nx && a[dx] != 0) A.emplace_back(w, a[dx]);
      });
      for (std::size_t j = 0; j < A.size(); ++j) {
        double along = one.C->at(A[j].first, 0) * A[j].second;
        for (std::size_t k = j + 1; k < A.size(); ++k)
          along += 2 * one.C->at(A[j].first, A[k].first - A[j].first) * A[k].second;
        sum += A[j].second * along;
      }
    }
    return sum;
  }

  // Whether the pixel exceeds the model by more than `threshold`.
  [[nodiscard]] bool exceeds(int x, int y, double residual, double W, double threshold) const {
    const double model_error = psferr_ * brightest_near(x, y);
    const auto is_above = [&](double spread) {
      return residual * residual > threshold * threshold * (spread / W + model_error * model_error);
    };
    if (!is_above(reject_bounds::min_spread)) return false;
    return is_above(std::max(1 - W * model_variance(x, y), reject_bounds::min_spread));
  }

  [[nodiscard]] bool is_of_bundle(int x, int y) const {
    return std::ranges::any_of(seen_, [&](const Seen& one) {
      return !one.tested.empty() && x >= one.tested[y].x0 && x < one.tested[y].x1;
    });
  }

  [[nodiscard]] std::uint32_t place_of(int x, int y) const {
    return static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(pixels_.nx) +
           static_cast<std::uint32_t>(x);
  }

  [[nodiscard]] bool is_next_to(const Places& rejected, int x, int y) const {
    for (int v = std::max(y - 1, 0); v <= std::min(y + 1, pixels_.ny - 1); ++v) {
      const auto from = std::ranges::lower_bound(rejected, place_of(std::max(x - 1, 0), v));
      if (from != rejected.end() && *from <= place_of(std::min(x + 1, pixels_.nx - 1), v))
        return true;
    }
    return false;
  }

  [[nodiscard]] Places find_in_row(int y, const Places& rejected) const {
    Places found;
    const std::size_t row = count_of(y, pixels_.nx);
    for (int x = x0_; x < x1_; ++x) {
      const std::size_t i = row + count_of(x);
      const double residual = pixels_.value[i] - model_row(y)[x - x0_];
      const double W = pixels_.weight[i];
      if (!(W > 0 && residual > 0)) continue;
      const double lower = threshold_ * reject_bounds::neighbor;
      // Most pixels end here.
      if (!(residual * residual * W > lower * lower * reject_bounds::min_spread)) continue;
      const double threshold = is_next_to(rejected, x, y) ? lower : threshold_;
      if (is_of_bundle(x, y) && exceeds(x, y, residual, W, threshold))
        found.push_back(place_of(x, y));
    }
    return found;
  }

  const Pixels& pixels_;
  double psferr_;
  double threshold_;
  int threads_;
  std::vector<Seen> seen_;
  int x0_ = 0;                 // first column of the bundle's spots
  int x1_ = 0;                 // one past the last
  std::vector<double> model_;  // m_i [ny][x1 - x0]
};

Places merged(const Places& a, const Places& b) {
  Places all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

}  // namespace

int RejectedPixels::count_within(const PixelRange& range, int nx) const {
  return static_cast<int>(std::ranges::count_if(places, [&](std::uint32_t place) {
    const int x = static_cast<int>(place) % nx, y = static_cast<int>(place) / nx;
    return x >= range.x0 && x < range.x1 && y >= range.y0 && y < range.y1;
  }));
}

void RejectedPixels::put_into(const Patch& patch, const PixelRange& range, int nx,
                              PatchResult& result) const {
  result.nrejected = count_within(range, nx);
  // Once in each subbundle: a frame of any fibers has such a patch, and a gather stays small.
  if (patch.step == 0) result.rejected = places;
  result.reject_rounds = rounds;
}

void BundlePixels::reject(const Places& places) {
  for (const std::uint32_t place : places) own_.weight.set(place, 0);
}

void BundlePixels::restore(const Places& places) {
  for (const std::uint32_t place : places) own_.weight.set(place, frame_.weight[place]);
}

int more_bins(const ExtractInputs& inputs) {
  ExtractOptions wide = inputs.options;
  wide.wavepad += reject_bounds::more_wavepad;
  return extended_grid(inputs.options, inputs.grid).first - extended_grid(wide, inputs.grid).first;
}

RejectedPixels reject_pixels(const ExtractInputs& inputs, int bundle, const Spots& spots,
                             BundlePixels& pixels, int threads, StageTimes& times) {
  ExtractInputs wide = inputs;
  wide.pixels = &pixels.pixels();
  wide.options.wavepad += reject_bounds::more_wavepad;
  const int more = more_bins(inputs);
  RejectedPixels rejected;
  const auto test = [&](const std::vector<SolvedFiber>& solved) {
    Places found;
    if (rejected.rounds == reject_bounds::max_rounds) return found;
    const StageTimer timer(times, Stage::quality);
    found = BundleTest(pixels.pixels(), solved, more, inputs, threads).find(rejected.places);
    rejected.rounds += found.empty() ? 0 : 1;
    pixels.reject(found);
    rejected.places = merged(rejected.places, found);
    return found;
  };
  // Only the test matters.
  static_cast<void>(solve_frame(wide, {bundle, spots}, threads, times, test));
  return rejected;
}

}  // namespace spex
