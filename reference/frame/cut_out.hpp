// Images that are cut-outs of their CCD, as specter's --trimxy makes them (file-formats.md).
#pragma once

#include <optional>
#include <string>

#include "reference/model/options.hpp"
#include "reference/model/preproc.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// The part of the CCD that the image is, by the option, else by its header; nothing: all of it.
[[nodiscard]] std::optional<XyRange> part_of_ccd(const FrameOptions& options,
                                                 const Preproc& preproc);

/// Makes the PSF that of the part of the CCD. Throws Error(usage) if the CCD does not hold it.
void cut_out(Psf& psf, const XyRange& range);

/// Throws Error(data) `file: ...` if the image has another size than the PSF's CCD, or than its
/// part.
void check_size(const Preproc& preproc, const Psf& psf, const std::optional<XyRange>& part,
                const std::string& file);

}  // namespace spex
