// Two frames of matching structure, compared bin by bin: the checks of compare_frames.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/compare/compare_frames.hpp"
#include "reference/compare/structure.hpp"

namespace spex {

/// Compares frame A with the expected frame B; each function appends its checks to `comparison`.
/// Call choose_bins and find_near_dark before the comparisons of bins. Index of bin (s, w): s nwave
/// + w.
class FramePair {
 public:
  /// All arguments must outlive the pair.
  FramePair(const FrameFile& a, const FrameFile& b, const FrameShape& shape, Comparison& comparison)
      : a_(a),
        b_(b),
        nspec_(shape.nspec),
        nwave_(shape.nwave),
        ndiagonals_(shape.ndiagonals),
        out_(comparison) {}

  /// Fails if A has ivar 0 where B has light. Selects the bins for the other checks.
  void choose_bins();
  /// Marks the bins to which DarkLimits apply.
  void find_near_dark();
  /// FLUX of the chosen bins, in units of their errors.
  void compare_flux();
  /// IVAR of the chosen bins.
  void compare_ivar();
  /// RESOLUTION of the chosen bins.
  void compare_resolution();
  /// A golden has NaN or 0 where its program did not compute chi2pix.
  void compare_chi2pix();
  /// PIXMASK_FRACTION, if both frames have it.
  void compare_pixmask();
  /// MASK, if it is expected.
  void compare_mask();
  /// Checks bins with an expected ivar of 0: flux, chi2pix and the column of R must also be 0
  /// (section 3), on CPU and GPU, as in failed patches. Goldens are excluded, because their values
  /// there are arbitrary.
  void compare_unconstrained();
  /// WAVELENGTH.
  void compare_wavelength();
  /// FIBER, if it is expected.
  void compare_fibermap();

 private:
  // An HDU of both frames, and the rounding allowance of its storage relative to the expected
  // value.
  struct Values {
    const std::vector<double>& a;
    const std::vector<double>& b;
    double rounding;
  };

  [[nodiscard]] Values values(const char* hdu) const;
  [[nodiscard]] std::size_t index(long long s, long long w) const;
  [[nodiscard]] std::size_t resolution_index(long long s, long long d, long long w) const;
  [[nodiscard]] Place place(const char* hdu, long long s, long long w) const;
  [[nodiscard]] double median_ivar(long long s) const;
  // Whether less than 1e-6 of a bin's light falls on good pixels (DarkLimits).
  [[nodiscard]] bool weighted_by_rounding(std::size_t j) const;
  [[nodiscard]] bool off_ccd(std::size_t j) const;
  // The HDU whose value in the bin differs from the expected value by more than rounding; "" if
  // none.
  [[nodiscard]] std::string other_than_expected(long long s, long long w) const;
  // Accepts a bin where only the rims of spots fall on good pixels. There spots are differences of
  // error functions near 1, so that q_j is 0 on one processor and 1e-17 of the light on another.
  // The latter processor solves the bin and the prior holds it near 0 (section 4): ivar is the
  // prior's, the flux is 0 within its limit, R_jj is 1, and chi2pix is weighted by rounding
  // (DarkLimits). Returns the HDU that contradicts this; "" if none.
  [[nodiscard]] std::string beyond_rounding_of_spots(long long s, long long w) const;
  [[nodiscard]] static bool same(const Values& values, std::size_t i);
  template <class Body>
  void for_chosen(long long fibers, const Body& body) const;

  const FrameFile& a_;
  const FrameFile& b_;
  long long nspec_, nwave_, ndiagonals_;
  Comparison& out_;
  std::vector<bool> chosen_;
  std::vector<bool> near_dark_;  // only if the tolerance has DarkLimits
};

}  // namespace spex
