// Reads a preprocessed CCD frame (extraction.md, section 1).
#pragma once

#include <string>

#include "reference/fits/read/fits_file.hpp"
#include "reference/model/preproc.hpp"

namespace spex {

/// How the file of an image is opened: only the images that are read are kept in memory. A .gz file
/// is inflated by `inflater` where it can, else by up to `threads` threads.
[[nodiscard]] FitsReadOptions preproc_options(bool checksums, int threads = 1,
                                              WholeInflater* inflater = nullptr);

/// Whether an image must have the HDU MASK, or may do without: then all its pixels are good
/// (option --no-mask). A misspelled name must not let bad pixels in, so MASK is required by
/// default. Images that are not DESI's, in an HDU of another name, never need one.
enum class MaskHdu { required, optional };

/// Reads `preproc-CAMERA-EXPID.fits`, plain, .gz or tile-compressed .fz; HDUs IMAGE, IVAR, MASK,
/// FIBERMAP by name in any order; without IMAGE specter's CCDIMAGE, or a first HDU without a name;
/// other HDUs, such as DESI's READNOISE, are ignored. A file without FIBERMAP is accepted (its
/// Fibermap is empty). Non-finite and blank pixels are data, not errors. Compares checksums if
/// `checksums`; `threads` as above. Throws Error(data) naming the file, what is wrong and what was
/// expected.
[[nodiscard]] Preproc read_preproc(const std::string& path, MaskHdu mask = MaskHdu::required,
                                   bool checksums = true, int threads = 1);
/// The same for an open file.
[[nodiscard]] Preproc read_preproc(FitsReader& file, MaskHdu mask = MaskHdu::required);

/// Reads everything except the pixels. `image`, `ivar` and `mask` stay empty, but their HDUs are
/// checked for existence and equal shape. Throws Error(data).
[[nodiscard]] Preproc read_preproc_header(FitsReader& file, MaskHdu mask = MaskHdu::required);
/// Reads the pixels from the file that `preproc` was read from. Throws Error(data).
void read_preproc_pixels(FitsReader& file, Preproc& preproc);

/// Moves to the image of a file that has one.
void move_to_pixels(FitsReader& file);

/// Reads the table FIBERMAP of any FITS file (option --fibermap). Throws Error(data).
[[nodiscard]] Fibermap read_fibermap(const std::string& path, bool checksums = true);
/// The same for an open file.
[[nodiscard]] Fibermap read_fibermap(FitsReader& file);

}  // namespace spex
