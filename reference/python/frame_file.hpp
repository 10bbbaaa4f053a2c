// A frame's file as Python sees it: the spectra, and what the file holds beside them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/frame/assemble_frame.hpp"
#include "reference/frame/frame_job.hpp"
#include "reference/frame/frame_steps.hpp"
#include "reference/model/frame.hpp"
#include "reference/model/preproc.hpp"

namespace spex::python {

/// What a frame's file holds beside the arrays of the spectra.
struct Header {
  std::vector<std::string> cards;  ///< of the primary header, 80 characters each
  Fibermap fibermap;               ///< empty where there is none
  int first_row = 0;  ///< of the first spectrum among the rows of `fibermap`, in order of FIBER
};

/// A frame of a file.
struct FrameOfFile {
  Frame frame;              ///< spectra; pixmask_fraction is empty where the file has none
  Header header;            ///< the rest
  std::string camera;       ///< CAMERA in lower case; empty where there is none
  std::string flux_solver;  ///< FLUXSOLV, "patch" where there is none
  int nwavestep = 0;        ///< NWAVESTP, 0 where there is none
  double heliocor = 1;      ///< HELIOCOR, 1 where there is none
  PatchCounts counts;       ///< by NPATCH and the like, 0 where there are none
};

/// Reads FLUX, IVAR, MASK, WAVELENGTH, RESOLUTION and CHI2PIX, in any order, and FIBERMAP and
/// PIXMASK_FRACTION where they are there. Throws Error(data) `path: ...` where one is missing or
/// has another shape than FLUX asks for.
[[nodiscard]] FrameOfFile read_frame_of_file(const std::string& path);

/// What the file of an extraction would have beside the arrays of `frame`. Throws Error(data).
[[nodiscard]] Header header_of(const FrameJob& job, const FrameInputs& inputs,
                               const PatchCounts& counts);

/// How a frame is written.
struct WriteSettings {
  bool scores = true;           ///< with the HDU SCORES, where the camera is known
  bool full_precision = false;  ///< as FrameFileContent
};

/// Writes the frame as the programs do; FIBERMAP has the rows of `header` that belong to the
/// spectra. Throws Error(usage) where a value is not finite, Error(data) where the file cannot be
/// written.
void write_frame_to_file(const std::string& path, Frame frame, const std::string& camera,
                         const Header& header, const WriteSettings& settings);

}  // namespace spex::python
