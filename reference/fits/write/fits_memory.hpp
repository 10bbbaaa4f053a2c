// A FITS file built in memory, so that it can be written atomically.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fitsio.h>

namespace spex {

/// A growing FITS file in memory; CFITSIO functions append HDUs through get(). Move-only.
class FitsMemory {
 public:
  /// More than the size of a frame file: untouched pages cost nothing.
  static constexpr std::size_t frame_size = std::size_t{1} << 27;

  /// `name` is the file's name in errors; `expected` bytes are reserved at once.
  explicit FitsMemory(std::string name, std::size_t expected = frame_size);

  /// For CFITSIO's own functions.
  [[nodiscard]] fitsfile* get() const noexcept { return file_.get(); }
  /// The file's name in errors.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The unwritten pixels of the current image HDU. The caller must fill them in FITS byte order
  /// before calling other members. Throws Error(data).
  [[nodiscard]] std::span<unsigned char> image_data();
  /// Writes DATASUM and CHECKSUM of the current HDU, with comments that contain no date.
  void write_checksums();
  /// Total bytes of the HDUs; the last HDU must be complete and current. Throws Error(data).
  [[nodiscard]] std::size_t size() const;
  /// Flushes and closes; get() is null afterwards. The bytes are valid while this object lives.
  [[nodiscard]] std::span<const char> finish();
  /// The same, but returns a copy of the bytes.
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
