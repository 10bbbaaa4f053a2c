#include "reference/compare/production/looks_like.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>

#include <fmt/format.h>

#include "reference/core/median.hpp"

namespace spex {
namespace {

constexpr double explained = 0.01;       // rms that remains, relative to the rms of the difference
constexpr std::size_t max_swapped = 50;  // fibers among which pairs are searched

class Guesser {
 public:
  Guesser(const PipelinePair& pair, const BinStates& states) : pair_(pair), states_(states) {}

  void guess_flux(const std::set<long long>& fibers) {
    std::map<std::string, std::set<long long>> found;
    for (const long long fiber : fibers)
      if (std::string text = cause_of_flux(fiber - pair_.fiber(0), fibers); !text.empty())
        found[text].insert(fiber);
    say(found);
  }

  void guess_ivar(const std::set<long long>& fibers) {
    std::map<std::string, std::set<long long>> found;
    for (const long long fiber : fibers) {
      const long long s = fiber - pair_.fiber(0);
      const double factor = ratio(pair_.a.ivar, pair_.b.ivar, s);
      const double left = rms(s, [&](std::size_t j) {
        return (pair_.b.ivar.value[j] - factor * pair_.a.ivar.value[j]) / pair_.b.ivar.value[j];
      });
      const double apart = rms(s, [&](std::size_t j) {
        return (pair_.b.ivar.value[j] - pair_.a.ivar.value[j]) / pair_.b.ivar.value[j];
      });
      if (apart > 0 && left <= explained * std::min(apart, 1.0))
        found[fmt::format("production's ivar is ours times {:.6g}", factor)].insert(fiber);
    }
    say(found);
  }

  void guess_resolution(const std::set<long long>& fibers) {
    std::map<std::string, std::set<long long>> found;
    for (const long long fiber : fibers)
      if (is_transposed(fiber - pair_.fiber(0)))
        found["production's R is ours transposed"].insert(fiber);
    say(found);
  }

  [[nodiscard]] std::vector<std::string> take() && { return std::move(lines_); }

 private:
  void say(const std::map<std::string, std::set<long long>>& found) {
    for (const auto& [text, fibers] : found)
      lines_.push_back(
          fmt::format("{} {}: {}", fibers.size() == 1 ? "fiber" : "fibers", ranges(fibers), text));
  }

  template <class Value>
  [[nodiscard]] double rms(long long s, const Value& value) const {
    double sum = 0;
    long long count = 0;
    for (long long w = 0; w < pair_.shape.nwave; ++w) {
      const std::size_t j = pair_.bin(s, w);
      if (states_.state[j] != BinState::both) continue;
      const double one = value(j);
      sum += one * one;
      ++count;
    }
    return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
  }

  // The median of production / ours.
  [[nodiscard]] double ratio(const FrameImage& a, const FrameImage& b, long long s) const {
    std::vector<double> ratios;
    for (long long w = 0; w < pair_.shape.nwave; ++w) {
      const std::size_t j = pair_.bin(s, w);
      if (states_.state[j] == BinState::both && a.value[j] != 0)
        ratios.push_back(b.value[j] / a.value[j]);
    }
    return median(std::move(ratios));
  }

  [[nodiscard]] std::string cause_of_flux(long long s, const std::set<long long>& fibers) const {
    const std::vector<double>&a = pair_.a.flux.value, &b = pair_.b.flux.value;
    const std::vector<double>& ivar = pair_.b.ivar.value;
    const double apart = rms(s, [&](std::size_t j) { return (b[j] - a[j]) * std::sqrt(ivar[j]); });
    if (!(apart > 0)) return "";
    // A faint fiber is close to nothing; so what remains must also be small beside its own light.
    const double own = rms(s, [&](std::size_t j) { return b[j] * std::sqrt(ivar[j]); });
    const auto is_explained_by = [&](const auto& model) {
      return rms(s, [&](std::size_t j) { return (b[j] - model(j)) * std::sqrt(ivar[j]); }) <=
             explained * std::min(apart, own);
    };
    const double factor = ratio(pair_.a.flux, pair_.b.flux, s);
    if (is_explained_by([&](std::size_t j) { return factor * a[j]; }))
      return fmt::format("production's flux is ours times {:.6g}", factor);
    if (fibers.size() <= max_swapped)
      for (const long long other : fibers) {
        const long long t = other - pair_.fiber(0);
        const long long step = (t - s) * pair_.shape.nwave;
        if (t != s && is_explained_by([&](std::size_t j) { return a[j + step]; }))
          return fmt::format("production has our fiber {}", other);
      }
    return cause_by_shift(s, apart);
  }

  // A shift moves the flux by its slope: least squares for the shift.
  [[nodiscard]] std::string cause_by_shift(long long s, double apart) const {
    const std::vector<double>&a = pair_.a.flux.value, &b = pair_.b.flux.value;
    const std::vector<double>& ivar = pair_.b.ivar.value;
    const std::vector<double>& wave = pair_.ours.file.image("WAVELENGTH")->value;
    const auto slope = [&](long long w) {
      const std::size_t j = pair_.bin(s, w);
      return (a[j + 1] - a[j - 1]) / (wave[w + 1] - wave[w - 1]);
    };
    double top = 0, bottom = 0;
    for (long long w = 1; w + 1 < pair_.shape.nwave; ++w) {
      const std::size_t j = pair_.bin(s, w);
      if (states_.state[j] != BinState::both) continue;
      top += (b[j] - a[j]) * slope(w) * ivar[j];
      bottom += slope(w) * slope(w) * ivar[j];
    }
    if (!(bottom > 0)) return "";
    const double shift = -top / bottom;  // of production's lines, Angstrom
    const double left = rms(s, [&](std::size_t j) {
      const auto w = static_cast<long long>(j) - s * pair_.shape.nwave;
      if (w == 0 || w + 1 == pair_.shape.nwave) return 0.0;
      return (b[j] - a[j] + shift * slope(w)) * std::sqrt(ivar[j]);
    });
    // The slope is that of three bins, and a shifted PSF changes R a little.
    constexpr double part = 0.5;
    return left <= part * apart ? fmt::format("production's lines lie {:+.2g} A from ours", shift)
                                : "";
  }

  [[nodiscard]] bool is_transposed(long long s) const {
    const std::vector<double>&a = pair_.a.resolution.value, &b = pair_.b.resolution.value;
    const long long ndiagonals = pair_.shape.ndiagonals, ndiag = ndiagonals / 2;
    double apart = 0, left = 0;
    for (long long d = 0; d < ndiagonals; ++d)
      for (long long w = 0; w < pair_.shape.nwave; ++w) {
        const long long column = w - ndiag + d;  // R[column][w] of ours is R[w][column] transposed
        if (column < 0 || column >= pair_.shape.nwave) continue;
        const double here = b[pair_.element(s, d, w)];
        const double same = here - a[pair_.element(s, d, w)];
        const double other = here - a[pair_.element(s, ndiagonals - 1 - d, column)];
        apart += same * same;
        left += other * other;
      }
    return apart > 0 && left <= explained * explained * apart;
  }

  const PipelinePair& pair_;
  const BinStates& states_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> looks_like(const PipelinePair& pair, const BinStates& states,
                                    const std::vector<Difference>& differences) {
  Guesser guesser(pair, states);
  for (const Difference& one : differences) {
    if (one.expected() || one.fibers.empty()) continue;
    if (one.hdu == "FLUX") guesser.guess_flux(one.fibers);
    if (one.hdu == "IVAR") guesser.guess_ivar(one.fibers);
    if (one.hdu == "RESOLUTION") guesser.guess_resolution(one.fibers);
  }
  return std::move(guesser).take();
}

}  // namespace spex
