// Structural checks of frame files, before values are compared.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/compare/check.hpp"
#include "reference/compare/frame_file.hpp"

namespace spex {

/// Checks that all images of `file` are finite and no ivar is negative.
[[nodiscard]] Check check_finite(const FrameFile& file);

/// Checks that `file` has the HDUs `names` (images by FrameShape::of, or tables of nspec rows) in
/// the shapes of `shape`.
[[nodiscard]] Check check_hdus(const FrameFile& file, const std::vector<std::string>& names,
                               const FrameShape& shape);

/// Bin (s, w) of HDU `hdu` of `file`.
[[nodiscard]] Place bin_place(const FrameFile& file, const std::string& hdu, long long s,
                              long long w);

/// The place of element `index` of an image of `file`, with its bin for HDUs with a wavelength
/// axis.
[[nodiscard]] Place element_place(const FrameFile& file, const FrameImage& image,
                                  std::size_t index);

}  // namespace spex
