// What every frame file must be, before its values are looked at.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/compare/check.hpp"
#include "reference/compare/frame_file.hpp"

namespace spex {

/// One check that nothing in the images of `file` is NaN or infinite and no ivar negative.
[[nodiscard]] Check check_finite(const FrameFile& file);

/// One check that `file` has the HDUs `names` (images by FrameShape::of, or tables of nspec rows)
/// in the shapes of `shape`.
[[nodiscard]] Check check_hdus(const FrameFile& file, const std::vector<std::string>& names,
                               const FrameShape& shape);

/// Bin (s, w) of HDU `hdu` of `file`.
[[nodiscard]] Place bin_place(const FrameFile& file, const std::string& hdu, long long s,
                              long long w);

/// Where element `index` of an image of `file` is: its bin, for HDUs with a wavelength axis.
[[nodiscard]] Place element_place(const FrameFile& file, const FrameImage& image,
                                  std::size_t index);

}  // namespace spex
