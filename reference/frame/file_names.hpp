// Names of DESI's files: KIND-CAMERA-EXPID and an ending.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spex {

/// What extraction appends to a frame's name before bad columns are masked.
inline constexpr std::string_view no_badcolumn_mask = "-no-badcolumn-mask";

/// The parts of a name such as preproc-r0-00051060.fits.gz.
struct FileName {
  std::string camera;  ///< "r0"
  std::string expid;   ///< eight digits, "00051060"
  std::string ending;  ///< all after EXPID, ".fits.gz"
};

/// Whether `text` is an EXPID of eight digits, as in names of files and folders.
[[nodiscard]] bool is_expid(std::string_view text);

/// The parts of `name`; nothing if the name does not begin with KIND-CAMERA-EXPID, with a camera of
/// DESI.
[[nodiscard]] std::optional<FileName> parse_file_name(std::string_view kind, std::string_view name);

}  // namespace spex
