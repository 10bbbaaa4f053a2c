// Writes the images and truths of a simulated exposure (docs/file-formats.md). Equal content gives
// identical bytes.
#pragma once

#include <string>
#include <vector>

#include "reference/fits/write/fits_write.hpp"
#include "reference/fits/write/gzip.hpp"
#include "reference/sim/detector.hpp"
#include "reference/sim/flavor.hpp"
#include "reference/sim/spectra.hpp"
#include "reference/sim/targets.hpp"

namespace spex {

/// Writes `preproc-CAMERA-EXPID.fits` in the form of DESI's preprocessing: IMAGE with `keywords`,
/// IVAR, MASK in row tiles by RICE_1, READNOISE and FIBERMAP, whose OBJTYPE is FLT or ARC for
/// lamps. If `path` ends in .gz, compresses the file at `gzip.level` as one run of zlib does. If
/// `path` ends in .fz, compresses all image tiles losslessly: floats by GZIP_2. Throws Error(data).
void write_preproc(const std::string& path, const CcdImage& ccd, const std::vector<Target>& targets,
                   const std::vector<HeaderKeyword>& keywords, Flavor flavor,
                   const GzipSettings& gzip);

/// Writes `truth-CAMERA-EXPID.fits`: the spectra, and a table of the pixels of cosmic rays. Throws
/// Error(data).
void write_truth(const std::string& path, const Truth& truth,
                 const std::vector<CosmicPixel>& cosmics,
                 const std::vector<HeaderKeyword>& keywords);

}  // namespace spex
