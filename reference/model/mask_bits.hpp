// Mask bits of pixels (MASK of a preproc file) and of spectra (MASK of a frame file).
#pragma once

#include <cstdint>

namespace spex {

namespace ccdmask {
inline constexpr std::uint32_t BAD = 1;
inline constexpr std::uint32_t HOT = 2;
inline constexpr std::uint32_t DEAD = 4;
inline constexpr std::uint32_t SATURATED = 8;
inline constexpr std::uint32_t COSMIC = 16;
inline constexpr std::uint32_t PIXFLATZERO = 32;
inline constexpr std::uint32_t PIXFLATLOW = 64;
inline constexpr std::uint32_t HIGHVAR = 128;
inline constexpr std::uint32_t BADREADNOISE = 256;
inline constexpr std::uint32_t BADAMP = 512;

/// Bits that the extraction rejects by default: all of the above except BADREADNOISE.
inline constexpr std::uint32_t rejected = 0x2FF;
}  // namespace ccdmask

namespace specmask {
inline constexpr std::uint32_t SOMEBADPIX = 1U << 0;  ///< pixmask_fraction > 0.5
inline constexpr std::uint32_t ALLBADPIX = 1U << 1;   ///< pixmask_fraction > 1 - 1e-6
/// chi2pix far above its medians, or the prior pulls the bin
inline constexpr std::uint32_t BAD2DFIT = 1U << 7;
/// The patch could not be solved, the bin has no light, or float32 cannot hold it.
inline constexpr std::uint32_t NODATA = 1U << 8;
inline constexpr std::uint32_t BADCOLUMN = 1U << 10;  ///< of desi_proc, not of an extraction
}  // namespace specmask

}  // namespace spex
