// N f = y of neighboring fibers, and f of all of them: by sweeps over the fibers, or at once
// (extraction.md, section 5.2).
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "reference/extract/frame_equations.hpp"
#include "reference/extract/row_cover.hpp"
#include "reference/linalg/band_matrix.hpp"
#include "reference/model/patch_result.hpp"
#include "reference/psf/spots.hpp"

namespace spex {

/// A fiber's part of N f = y.
struct FrameFiber {
  std::unique_ptr<Spots> own;        ///< the spots of a fiber beyond the bundle
  FiberSpots spots;                  ///< of a fiber, at the bins of the extended grid
  FiberEquations equations;          ///< without the prior
  std::vector<double> m;             ///< of the prior [step]
  BandMatrix N;                      ///< N_ss with the prior
  BandMatrix L;                      ///< its factor
  bool positive = false;             ///< whether there is one
  std::vector<double> root;          ///< sqrt(N_jj) [nwave]
  std::vector<double> f;             ///< [nwave]
  std::vector<FiberCoupling> lower;  ///< [d - 1]: N_st with t = s - d
};

/// Neighboring fibers.
struct FrameSystem {
  int first = 0;                  ///< the first fiber, counted in the PSF
  double foreseen = 0;            ///< of frame_bounds::ended
  std::deque<FrameFiber> fibers;  ///< from it on

  [[nodiscard]] FrameFiber& fiber(int s) { return fibers[s - first]; }  ///< fiber s of the PSF
  /// One past the last fiber.
  [[nodiscard]] int last() const { return first + static_cast<int>(fibers.size()); }
};

/// How f was found.
struct SystemSolution {
  FrameSolution solution = FrameSolution::sweeps;  ///< the method
  double left = 0;  ///< what sweeps have left to be moved, at most, in units of 1 / sqrt(N_jj)
};

/// Finds f of all fibers. With `may_sweep` by sweeps, which start at the f that is there; if they
/// do not settle, or without it, by a factorization of the whole N.
[[nodiscard]] SystemSolution solve_system(FrameSystem& system, bool may_sweep, int threads);

}  // namespace spex
