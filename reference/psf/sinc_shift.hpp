// Shifts of sampled images by parts of a pixel.
#pragma once

#include <vector>

namespace spex {

/// The image [ny][nx] shifted by (dx, dy) pixels: a convolution with a damped sinc of 21 pixels,
/// along x and then along y. A shift of 1e-6 pixels or less is none. As in specter, whose spots
/// these are, a row continues in the next one, and a column in the next one: an image should be
/// dark at its edges.
[[nodiscard]] std::vector<double> sinc_shifted(std::vector<double> image, int nx, int ny, double dx,
                                               double dy);

}  // namespace spex
