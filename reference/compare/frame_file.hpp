// A frame file for comparisons: all HDUs, written by any program (file-formats.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spex {

class FitsReader;

/// An image HDU, its values widened to double.
struct FrameImage {
  std::string name;              ///< EXTNAME
  std::vector<long long> shape;  ///< slowest axis first: [nspec, nwave] for FLUX
  bool float32 = false;          ///< stored as f4, i.e. rounded to half a unit in the last place
  std::vector<double> value;     ///< may hold NaN and infinities
};

/// A table HDU. Tables are equal if columns and rows are equal.
struct FrameTable {
  std::string name;                  ///< EXTNAME
  std::vector<std::string> columns;  ///< "NAME FORMAT"
  long long nrow = 0;                ///< number of rows
  std::vector<unsigned char> rows;   ///< bytes as stored, without the heap
  std::vector<std::int64_t> fiber;   ///< column FIBER of FIBERMAP; else empty
};

/// All HDUs of a frame file.
struct FrameFile {
  std::string path;                   ///< of the file
  long long specmin = 0;              ///< SPECMIN of the primary header, default 0
  std::string flux_solver = "patch";  ///< FLUXSOLV, default "patch"
  long long nwavestep = 0;            ///< NWAVESTP, default 0
  std::vector<std::string> cards;     ///< of the primary header, without those of its data
  std::vector<FrameImage> images;     ///< in the file's order
  std::vector<FrameTable> tables;     ///< in the file's order

  /// The image with this EXTNAME; null if there is none.
  [[nodiscard]] const FrameImage* image(const std::string& name) const;
  /// The table with this EXTNAME; null if there is none.
  [[nodiscard]] const FrameTable* table(const std::string& name) const;
};

/// Reads all HDUs that have data. Does not check which HDUs exist. Throws Error(data) if the file
/// cannot be read, a checksum is wrong (compared if `checksums`), or two HDUs have the same name.
[[nodiscard]] FrameFile read_frame(const std::string& path, bool checksums = true);
/// The same for an open file.
[[nodiscard]] FrameFile read_frame(FitsReader& reader);

/// The spectra's dimensions.
struct FrameShape {
  long long nspec = 0;       ///< number of spectra
  long long nwave = 0;       ///< number of wavelength bins
  long long ndiagonals = 0;  ///< 2 ndiag + 1

  [[nodiscard]] std::vector<long long> bins() const { return {nspec, nwave}; }  ///< shape of FLUX
  [[nodiscard]] long long nbins() const { return nspec * nwave; }  ///< bins of all spectra
  /// Shape of a frame's image HDU `name`; nothing if frames have no such HDU.
  [[nodiscard]] std::optional<std::vector<long long>> of(const std::string& name) const;
};

/// Dimensions from FLUX and RESOLUTION; nothing if an HDU is missing or does not have 2 and 3 axes
/// (the second of RESOLUTION odd).
[[nodiscard]] std::optional<FrameShape> frame_shape(const FrameFile& file);

/// "10 x 11 x 114".
[[nodiscard]] std::string to_string(const std::vector<long long>& shape);

}  // namespace spex
