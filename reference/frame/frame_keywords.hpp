// The header keywords of an extraction (extraction.md, section 7).
#pragma once

#include <string>
#include <vector>

#include "reference/frame/assemble_frame.hpp"
#include "reference/frame/frame_steps.hpp"
#include "reference/io/write_frame.hpp"

namespace spex {

/// Names that go into the header: the program, and the input files as the header is to have them.
struct Provenance {
  std::string program;  ///< name of the program
  std::string image;    ///< preproc file
  std::string psf;      ///< PSF file
};

/// DEPNAMnn and DEPVERnn of core/version.hpp's dependencies, as DESI's pipeline has those of its
/// own: in place of one of that name among the image's `cards`, else with the next number that they
/// leave free.
[[nodiscard]] std::vector<HeaderKeyword> dependency_keywords(const std::vector<std::string>& cards);

/// Keywords of the grid, the inputs, the parameters, the program and the counts of patches. They
/// depend on what was computed, never on how many ranks or threads did it.
[[nodiscard]] std::vector<HeaderKeyword> frame_keywords(const Provenance& provenance,
                                                        const FrameInputs& inputs,
                                                        const ExtractOptions& options,
                                                        const PatchCounts& counts);

}  // namespace spex
