// Flags bins that the model of the pixels does not fit (extraction.md, section 7).
#pragma once

#include "reference/model/choices.hpp"
#include "reference/model/frame.hpp"

namespace spex {

/// `relative`: a bad fit exceeds both medians of chi2pix this many times.
inline constexpr double bad_fit_factor = 5;
/// `chi2`: the chi2pix that a bad fit exceeds.
inline constexpr double bad_fit_chi2 = 100;

/// Sets BAD2DFIT by chi2pix:
///
///    relative   above 5 times its median over fibers at the same wavelength, and above 5 times its
///               median over wavelengths of the same fiber
///    chi2       above 100
void flag_bad_2d_fits(Frame& frame, Bad2dFit rule);

}  // namespace spex
