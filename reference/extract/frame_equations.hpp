// The normal equations of the whole frame, fiber by fiber (extraction.md, section 5.2).
//
// Bins are those of the extended grid, pixels all good ones of the CCD: no cut into patches.
#pragma once

#include <algorithm>
#include <vector>

#include "reference/core/count.hpp"
#include "reference/extract/row_cover.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/linalg/band_matrix.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

struct ExtractOptions;

/// The bins that are solved for: the grid's and as many of padding on either side as a patch has.
struct ExtendedGrid {
  int first = 0;  ///< first bin, counted in the WaveGrid: negative
  int nwave = 0;  ///< bins

  /// Whether bin w of the WaveGrid is one of them.
  [[nodiscard]] bool holds(int w) const { return w >= first && w < first + nwave; }
};
/// The extended grid of an extraction.
[[nodiscard]] ExtendedGrid extended_grid(const ExtractOptions& options, const WaveGrid& grid);

/// sum_i A_ij A_ik of spots (s, w) and (t, v) of a range, over all pixels, on the CCD or off it.
[[nodiscard]] double overlap_of_spots(const Spots& spots, int s, int w, int t, int v);

/// What one fiber brings to N f = y. Without prior.
struct FiberEquations {
  BandMatrix N;           ///< N_ss
  std::vector<double> y;  ///< [nwave]
  std::vector<double> q;  ///< [nwave], q_j = sum_i W_i A_ij
};
/// N_ss, y and q of a fiber over all pixels of the CCD.
[[nodiscard]] FiberEquations assemble_fiber(const FiberSpots& spots, const Pixels& pixels);
/// The same after the weights of some pixels have been taken: computes again what belongs to
/// `bins`, all those whose spots hold such a pixel.
void assemble_bins(const FiberSpots& spots, const Pixels& pixels, const std::vector<int>& bins,
                   FiberEquations& fiber);

/// The block N_st of two fibers: a band, too.
struct FiberCoupling {
  int nwave = 0;   ///< rows and columns
  int reach = -1;  ///< farthest from the diagonal that an element is stored; -1: a zero block
  std::vector<double> a;  ///< element (w, w - reach + d), 0 <= d <= 2 reach, at w (2 reach + 1) + d

  /// Whether the fibers share light.
  [[nodiscard]] bool is_zero() const { return reach < 0; }
  /// x -= N_st f, both [nwave].
  void subtract(const double* f, double* x) const;
  /// x -= N_ts f, both [nwave].
  void subtract_transposed(const double* f, double* x) const;
  /// element(w, v, a) for each element that is stored: a of bin w of s and bin v of t.
  template <class Element>
  void visit(const Element& element) const {
    for (int w = 0; w < nwave && !is_zero(); ++w) {
      const double* row = a.data() + count_of(w, 2 * reach + 1);
      for (int v = std::max(w - reach, 0); v <= std::min(w + reach, nwave - 1); ++v)
        element(w, v, row[v - w + reach]);
    }
  }
};
/// N_st over all pixels of the CCD.
[[nodiscard]] FiberCoupling assemble_coupling(const FiberSpots& s, const FiberSpots& t,
                                              const Pixels& pixels);
/// The same as assemble_bins: computes again the rows `bins` of s.
void assemble_rows(const FiberSpots& s, const FiberSpots& t, const Pixels& pixels,
                   const std::vector<int>& bins, FiberCoupling& coupling);

}  // namespace spex
