// A frame file as a comparison sees it: every HDU, whatever wrote it (file-formats.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spex {

/// An image HDU, its values widened to double.
struct FrameImage {
  std::string name;              ///< EXTNAME
  std::vector<long long> shape;  ///< slowest axis first: [nspec, nwave] for FLUX
  bool float32 = false;          ///< stored as f4, so rounded to half a unit of its last place
  std::vector<double> value;     ///< may hold NaN and infinities
};

/// A table HDU; two of them are equal where columns and rows are.
struct FrameTable {
  std::string name;                  ///< EXTNAME
  std::vector<std::string> columns;  ///< "NAME FORMAT"
  long long nrow = 0;                ///< number of rows
  std::vector<unsigned char> rows;   ///< bytes as stored, without the heap
  std::vector<std::int64_t> fiber;   ///< column FIBER of FIBERMAP; else empty
};

/// All HDUs of a frame's file, whatever wrote it.
struct FrameFile {
  std::string path;                   ///< of the file
  long long specmin = 0;              ///< SPECMIN of the primary header, 0 where there is none
  std::string flux_solver = "patch";  ///< FLUXSOLV, "patch" where there is none
  long long nwavestep = 0;            ///< NWAVESTP, 0 where there is none
  std::vector<FrameImage> images;     ///< in the file's order
  std::vector<FrameTable> tables;     ///< in the file's order

  /// Null where there is none.
  [[nodiscard]] const FrameImage* image(const std::string& name) const;
  /// The table of that EXTNAME; null where there is none.
  [[nodiscard]] const FrameTable* table(const std::string& name) const;
};

/// Reads all HDUs that have data, by name; says nothing about which there should be. Throws
/// Error(data) where the file cannot be read or two HDUs have the same name.
[[nodiscard]] FrameFile read_frame(const std::string& path);

/// The spectra's dimensions.
struct FrameShape {
  long long nspec = 0;       ///< number of spectra
  long long nwave = 0;       ///< number of wavelength bins
  long long ndiagonals = 0;  ///< 2 ndiag + 1

  [[nodiscard]] std::vector<long long> bins() const { return {nspec, nwave}; }  ///< shape of FLUX
  [[nodiscard]] long long nbins() const { return nspec * nwave; }               ///< of all spectra
  /// Shape that the image HDU `name` of a frame has; nothing for names that a frame does not have.
  [[nodiscard]] std::optional<std::vector<long long>> of(const std::string& name) const;
};

/// Dimensions by FLUX and RESOLUTION; nothing where they are missing or have not 2 and 3 axes (the
/// second of RESOLUTION odd).
[[nodiscard]] std::optional<FrameShape> frame_shape(const FrameFile& file);

/// "10 x 11 x 114".
[[nodiscard]] std::string to_string(const std::vector<long long>& shape);

}  // namespace spex
