// Parts that PSF files of several kinds share (extraction.md, section 1).
#pragma once

#include "reference/fits/read/fits_file.hpp"
#include "reference/model/psf.hpp"

namespace spex::psf_parts {

// Larger sizes mean a broken file: no spectrograph has them.
inline constexpr int max_fibers = 10000;
inline constexpr int max_half_size = 64;
inline constexpr int max_legendre_degree = 30;
inline constexpr int max_pixels = 100000;

/// All functions read the current HDU, and throw Error(data) naming it and the keyword.
/// An integer from `least` to `most`.
[[nodiscard]] int read_int(const FitsReader& file, const char* key, int least, int most);
/// WAVEMIN and WAVEMAX, Angstrom.
void read_wave_range(const FitsReader& file, double& wavemin, double& wavemax);
/// PSFERR, or its default.
[[nodiscard]] double read_psferr(const FitsReader& file);
/// Coefficients of the image HDU `name` with its wavelengths; sets the number of fibers.
[[nodiscard]] Trace read_trace(FitsReader& file, const char* name, int& nfiber);

}  // namespace spex::psf_parts
