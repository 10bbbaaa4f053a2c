// The wavelengths and the part of the CCD that an extraction is asked for.
#pragma once

#include <string>

namespace spex {

/// Wavelength grid, wave_w = wmin + w dw up to wmax + dw/2 (exclusive); Angstrom.
struct WaveRange {
  double wmin = 0;  ///< Angstrom
  double wmax = 0;  ///< Angstrom
  double dw = 0;    ///< Angstrom
};

/// A part of the CCD: columns xmin to xmax - 1, rows ymin to ymax - 1, counted from 0.
struct XyRange {
  int xmin = 0;  ///< first column
  int xmax = 0;  ///< column after the last one
  int ymin = 0;  ///< first row
  int ymax = 0;  ///< row after the last one

  [[nodiscard]] int nx() const { return xmax - xmin; }  ///< columns
  [[nodiscard]] int ny() const { return ymax - ymin; }  ///< rows
};
/// As on the command line: xmin,xmax,ymin,ymax.
[[nodiscard]] std::string to_string(const XyRange& range);

}  // namespace spex
