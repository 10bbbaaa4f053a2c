// The header keywords of an extraction (extraction.md, section 7).
#pragma once

#include <string>
#include <vector>

#include "reference/frame/assemble_frame.hpp"
#include "reference/io/write_frame.hpp"

namespace spex {

/// Names that go into the header: the program, and the input files as the user gave them.
struct Provenance {
  std::string program;  ///< name of the program
  std::string image;    ///< preproc file
  std::string psf;      ///< PSF file
};

/// Keywords of the grid, the inputs, the parameters, the program and the counts of patches. They
/// depend on what was computed, never on how many ranks or threads did it.
[[nodiscard]] std::vector<HeaderKeyword> frame_keywords(const Provenance& provenance,
                                                        const ExtractInputs& inputs,
                                                        const Fibermap& fibermap,
                                                        const PatchCounts& counts);

}  // namespace spex
