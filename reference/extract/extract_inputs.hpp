// What an extraction works on.
#pragma once

#include "reference/layout/wavelengths.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/model/extracted.hpp"
#include "reference/model/preproc.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// What an extraction works on. The pointers outlive the calls that take it.
struct ExtractInputs {
  const Psf* psf = nullptr;        ///< of the camera
  const Pixels* pixels = nullptr;  ///< of the frame
  WaveGrid grid;                   ///< bins to extract
  ExtractOptions options;          ///< settings of the extraction
  /// What the caller can use. An extractor may give patches all the same.
  SpectraOf wanted = SpectraOf::patches;

  /// The fractional model error: that asked for, else the PSF's.
  [[nodiscard]] double psferr() const { return options.psferr.value_or(psf->psferr); }
  /// Stored diagonals of R on either side of the main one.
  [[nodiscard]] int ndiag() const { return options.ndiag_of(psf->hsizey); }
};

}  // namespace spex
