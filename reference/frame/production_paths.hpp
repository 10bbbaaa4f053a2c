// Where DESI's pipeline keeps its files, by its environment.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// A folder, and the name that stands for it in headers.
struct PathRoot {
  std::string folder;  ///< "/global/cfs/cdirs/desi/spectro/redux/kibo"
  std::string name;    ///< "SPECPROD"
};

/// $DESI_SPECTRO_REDUX/$SPECPROD, the folder of a production: `specprod` in SPECPROD's place where
/// it is not empty, a whole path where it has a slash; $DESI_ROOT/spectro/redux where
/// DESI_SPECTRO_REDUX is not set. Empty where the environment does not say.
[[nodiscard]] std::string specprod_root(const std::string& specprod = {});

/// ".gz", or nothing where $DESI_COMPRESSION is NONE: what DESI's pipeline adds to the names of the
/// images that it writes.
[[nodiscard]] std::string compression_suffix();

/// SPCALIB for $DESI_SPECTRO_CALIB and SPECPROD for specprod_root(), where they are set; the latter
/// under $DESI_ROOT_READONLY too.
[[nodiscard]] std::vector<PathRoot> roots_of_environment();

/// `path` with the first folder of `roots` that it begins with replaced by its name, as DESI's
/// pipeline shortens paths for headers.
[[nodiscard]] std::string shorten_path(const std::string& path, const std::vector<PathRoot>& roots);

}  // namespace spex
