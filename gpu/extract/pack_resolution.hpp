// RESOLUTION as a .gz file has it, made on the GPU: float32 as a deflate stream of literals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/core/buffer.hpp"
#include "gpu/core/context.hpp"
#include "reference/fits/literal_block.hpp"

namespace spex::gpu {

/// Rows of numbers in device memory, one behind the other. Row r has code r % ncodes: the numbers
/// of a diagonal of R are alike in all fibers.
struct NumberRows {
  const double* values = nullptr;
  std::size_t nrows = 0;
  int length = 0;  ///< numbers of a row
  int ncodes = 1;
};

/// Numbers of a deflate block of rows of that length: a row, or an equal part of one.
[[nodiscard]] int numbers_of_block(int length);

/// Packs images one after the other, on the stream of a context.
class ResolutionPacker {
 public:
  /// What pack() will make.
  struct Plan {
    std::size_t deflated = 0;   ///< bytes, those of end_blocks() too
    std::size_t size = 0;       ///< bytes that they hold
    std::uint32_t crc = 0;      ///< as in PackedImage
    std::uint32_t datasum = 0;  ///< as in PackedImage

    /// Words that `deflated` takes, the last of which may be taken in part.
    [[nodiscard]] std::size_t words() const {
      return (deflated + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t);
    }
  };

  explicit ResolutionPacker(const Context& context) : context_(&context) {}

  /// Counts the bytes of the rows, which are not empty, as float32; in the stream's order.
  void survey(const NumberRows& rows);
  /// Waits for survey(). None where a number is not finite as float32, or where bytes would not
  /// become fewer.
  [[nodiscard]] std::optional<Plan> plan();
  /// Puts the rows that plan() was of at `to`, which has room for the plan's words, in the stream's
  /// order: all but what end_blocks() does. The same rows give the same bytes.
  void pack(std::uint32_t* to);

  /// A code as kernels read it.
  struct Code {
    std::uint32_t header[block_header_words];
    std::uint32_t symbol[literal_symbols];  ///< bits, and their number from bit 16 on
  };
  /// What survey() finds in all rows.
  struct Totals {
    unsigned long long sum;  ///< of their words
    std::uint32_t crc;
    std::uint32_t not_finite;  ///< not 0: a number is not
  };

 private:
  const Context* context_;
  NumberRows rows_;
  std::size_t words_ = 0;  // of the packed image
  Event surveyed_;
  DeviceBuffer<Totals> totals_{1};
  PinnedBuffer<Totals> host_totals_{1};
  DeviceBuffer<std::uint32_t> counts_;  // of each byte, by code
  PinnedBuffer<std::uint32_t> host_counts_;
  DeviceBuffer<std::uint16_t> block_counts_;  // of each byte, by block
  DeviceBuffer<Code> codes_;
  PinnedBuffer<Code> host_codes_;
  DeviceBuffer<std::uint64_t> bits_, offsets_;  // of the blocks
  DeviceBuffer<std::byte> scratch_;             // of the sum of bits_
};

}  // namespace spex::gpu
