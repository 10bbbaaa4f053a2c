// Paths of DESI's pipeline, from environment variables.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// A folder and its abbreviation in headers.
struct PathRoot {
  std::string folder;  ///< "/global/cfs/cdirs/desi/spectro/redux/kibo"
  std::string name;    ///< "SPECPROD"
};

/// $DESI_SPECTRO_REDUX/$SPECPROD, the folder of a production. A non-empty `specprod` replaces
/// SPECPROD; with a slash it is the whole path. $DESI_ROOT/spectro/redux replaces an unset
/// DESI_SPECTRO_REDUX. Empty if the environment is incomplete.
[[nodiscard]] std::string specprod_root(const std::string& specprod = {});

/// The suffix that DESI's pipeline appends to names of images: ".gz", or nothing if
/// $DESI_COMPRESSION is NONE.
[[nodiscard]] std::string compression_suffix();

/// SPCALIB for $DESI_SPECTRO_CALIB and SPECPROD for specprod_root(), if set; the latter also under
/// $DESI_ROOT_READONLY.
[[nodiscard]] std::vector<PathRoot> roots_of_environment();

/// Replaces the first folder of `roots` that is a prefix of `path` by its name, as DESI's pipeline
/// abbreviates paths in headers.
[[nodiscard]] std::string shorten_path(const std::string& path, const std::vector<PathRoot>& roots);

}  // namespace spex
