// A FITS file built in memory, so that a file on disk appears whole or not at all.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fitsio.h>

namespace spex {

/// A FITS file growing in memory; HDUs are appended through get(). Move-only.
class FitsMemory {
 public:
  /// More than a frame's file has: pages cost nothing before they are written.
  static constexpr std::size_t frame_size = std::size_t{1} << 27;

  /// `name` is what errors call the file; memory for `expected` bytes is taken at once.
  explicit FitsMemory(std::string name, std::size_t expected = frame_size);

  /// For CFITSIO's own functions.
  [[nodiscard]] fitsfile* get() const noexcept { return file_.get(); }
  /// As errors call the file.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The pixels of the current image HDU, which has been made and not written, for whoever fills
  /// them in the byte order of FITS before anything else is asked of this object. Throws
  /// Error(data).
  [[nodiscard]] std::span<unsigned char> image_data();
  /// Writes DATASUM and CHECKSUM of the current HDU with comments that carry no date.
  void write_checksums();
  /// Bytes of all HDUs so far, whose last is complete and the current one. Throws Error(data).
  [[nodiscard]] std::size_t size() const;
  /// Flushes and closes; get() is null afterwards. The bytes live as long as this object.
  [[nodiscard]] std::span<const char> finish();
  /// The same, and hands over a copy of the bytes.
  [[nodiscard]] std::vector<char> take();

 private:
  [[nodiscard]] std::span<const unsigned char> bytes(LONGLONG begin, LONGLONG end) const;
  struct Buffer {
    void* data = nullptr;
    std::size_t size = 0;
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer();
  };
  struct Close {
    void operator()(fitsfile* file) const noexcept;
  };
  std::string name_;
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<fitsfile, Close> file_;
};

}  // namespace spex
