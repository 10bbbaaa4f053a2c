// A frame's file for Python: the spectra and the other content of the file.
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

/// The content of a frame's file beside the arrays.
struct Header {
  std::vector<std::string> cards;  ///< primary header, 80 characters each
  Fibermap fibermap;               ///< rows of the spectra; empty if there is none
};

/// A frame read from a file.
struct FrameOfFile {
  Frame frame;              ///< spectra; pixmask_fraction is empty if the file lacks it
  Header header;            ///< other content
  std::string camera;       ///< CAMERA in lower case; empty if absent
  std::string flux_solver;  ///< FLUXSOLV, default "patch"
  std::string spectra;      ///< SPECLIST: numbers of spectra that are not consecutive, or empty
  int nwavestep = 0;        ///< NWAVESTP, default 0
  double heliocor = 1;      ///< HELIOCOR, default 1
  PatchCounts counts;       ///< from NPATCH etc., default 0
};

/// Reads FLUX, IVAR, MASK, WAVELENGTH, RESOLUTION and CHI2PIX, in any order, and FIBERMAP and
/// PIXMASK_FRACTION if present. Throws Error(data) `path: ...` if an HDU is missing or its shape
/// does not match FLUX, or a checksum is wrong (compared if `checksums`).
[[nodiscard]] FrameOfFile read_frame_of_file(const std::string& path, bool checksums);

/// The header that an extraction's file would have. Throws Error(data).
[[nodiscard]] Header header_of(const FrameJob& job, const FrameInputs& inputs,
                               const PatchCounts& counts);

/// Settings of writing a frame.
struct WriteSettings {
  bool scores = true;           ///< write the HDU SCORES if the camera is known
  bool full_precision = false;  ///< as in FrameFileContent
};

/// Writes the frame like the programs, with the fibermap rows of its spectra. Throws Error(usage)
/// if a value is not finite, Error(data) if the file cannot be written.
void write_frame_to_file(const std::string& path, Frame frame, const std::string& camera,
                         const Header& header, const WriteSettings& settings);

}  // namespace spex::python
