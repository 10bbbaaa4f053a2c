// Means of a spectrum over the bins of a grid.
#pragma once

#include <span>
#include <vector>

namespace spex {

/// The means over bins of the width `dw` around `centers` (ascending) of the straight lines between
/// the points (wave, flux), which are 0 beyond the first and the last; `wave` ascends.
[[nodiscard]] std::vector<double> means_of_bins(std::span<const double> wave,
                                                std::span<const double> flux,
                                                std::span<const double> centers, double dw);

}  // namespace spex
