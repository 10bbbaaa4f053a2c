// What a frame's file could not hold.
#pragma once

#include "reference/model/frame.hpp"

namespace spex {

/// Zeroes flux, ivar, f, chi2pix and the column of R of each bin of which one of the four is not
/// finite as float32, flags the bin NODATA, and counts these bins in `overflowed` (extraction.md,
/// section 7). Throws std::logic_error if there is such a bin and R is not in the frame.
void drop_overflows(Frame& frame);

}  // namespace spex
