// The header keywords of an extraction (extraction.md, section 7).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "reference/frame/assemble_frame.hpp"
#include "reference/frame/frame_steps.hpp"
#include "reference/io/write_frame.hpp"

namespace spex {

struct FrameOptions;

/// Names for the header: the program, and the input files as the header states them.
struct Provenance {
  std::string program;  ///< name of the program
  std::string image;    ///< preproc file
  std::string psf;      ///< PSF file
};

/// DEPNAMnn and DEPVERnn for core/version.hpp's dependencies, as DESI's pipeline records its own.
/// Reuses the number of the same name in the image's `cards`, else takes the next free number.
[[nodiscard]] std::vector<HeaderKeyword> dependency_keywords(const std::vector<std::string>& cards);

/// Names of the keywords that only frames of this project have: frame_keywords() writes some of
/// them.
[[nodiscard]] const std::set<std::string>& own_keywords();

/// Keywords of the grid, the inputs, the options, the program and the patch counts. They do not
/// depend on the number of ranks or threads.
[[nodiscard]] std::vector<HeaderKeyword> frame_keywords(const Provenance& provenance,
                                                        const FrameInputs& inputs,
                                                        const FrameOptions& options,
                                                        const PatchCounts& counts);

}  // namespace spex
