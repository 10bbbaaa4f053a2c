// The content of a FITS file: checked HDUs, tables in memory, pixels in memory or in the file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reference/fits/read/fits_sums.hpp"
#include "reference/fits/read/inflate_ahead.hpp"
#include "reference/fits/read/pixel_reader.hpp"
#include "reference/fits/read/source_hdu.hpp"
#include "reference/fits/read/whole_inflater.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {

/// How a FITS file is read.
struct FitsReadOptions {
  /// Compare DATASUM and CHECKSUM of each HDU whose pixels or columns are read, where present.
  bool checksums = true;
  /// The images that will be read, by EXTNAME; empty: any. Others of a gzip file are not kept.
  std::vector<std::string> images = {};
  /// The threads that inflate a gzip file; builds without ISA-L use one.
  InflateThreads inflate = {};
  /// Inflates gzip files where it can; null, or at any doubt: the threads do. Must outlive the
  /// source.
  WholeInflater* inflater = nullptr;
};

/// A FITS file whose headers passed check_headers, from disk or memory (plain, .gz, .fz). Not
/// thread-safe.
class FitsSource {
 public:
  /// Throws Error(data) if the file is missing, empty, cut short, damaged or not a FITS file, and
  /// what the inflater throws other than Error(data).
  FitsSource(const std::string& path, FitsReadOptions options);
  /// The same from `bytes`, which must outlive this object; errors refer to `name`.
  FitsSource(std::span<const char> bytes, const std::string& name, FitsReadOptions options);

  /// All HDUs, in the file's order.
  [[nodiscard]] const std::vector<SourceHdu>& hdus() const { return hdus_; }
  /// The pixels of image `hdu`, counted from 0. Throws Error(data) if a compressed image is damaged
  /// or a checksum is wrong, and std::logic_error if the image is not kept.
  [[nodiscard]] PixelReader pixels(int hdu);
  /// Throws Error(data) if a checksum of table `hdu` is wrong.
  void require_table(int hdu) const;
  /// The checksums of HDU `hdu`, compared with all of its bytes.
  [[nodiscard]] HduSums sums(int hdu) const;
  /// Bytes of the uncompressed file.
  [[nodiscard]] long long size() const { return size_; }

 private:
  void open(const ReadAt& read_at, long long size, const std::string& path);
  void open_plain(const std::string& path);
  void unzip(const ReadAt& read_at, long long size, const std::string& path);
  [[nodiscard]] bool open_inflated(const ReadAt& read_at, long long size, const std::string& path);
  void describe_hdus();
  void require(const SourceHdu& one) const;

  FitsReadOptions options_;
  std::unique_ptr<char[]> inflated_;  // the content of a gzip file, by the inflater
  ReadAt read_at_;                    // of a file that is not gzip, or of `inflated_`
  long long size_ = 0;
  std::vector<SourceHdu> hdus_;
};

}  // namespace spex
