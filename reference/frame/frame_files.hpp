// The files of one frame.
#pragma once

#include <optional>
#include <string>

#include "reference/model/members.hpp"

namespace spex {

/// The files of one frame.
struct FrameFiles {
  std::string camera = {};  ///< "b0" ...: required camera of the input; empty: any camera
  std::string input = {};   ///< preproc file
  std::string psf = {};     ///< PSF file
  std::string output = {};  ///< frame to write
  std::optional<std::string> model = {};     ///< model image to write
  std::optional<std::string> rejected = {};  ///< image of rejected pixels to write
  std::optional<std::string> fibermap = {};  ///< table that replaces the input's FIBERMAP
  /// Why the frame cannot be extracted, as one line; empty: nothing is known yet.
  std::string fault = {};

  SPEX_MEMBERS(camera, input, psf, output, model, rejected, fibermap, fault)
};

}  // namespace spex
