// Packs RESOLUTION for a .gz file on the GPU: float32 as a deflate stream of literals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/core/buffer.hpp"
#include "gpu/core/context.hpp"
#include "reference/fits/write/literal_block.hpp"

namespace spex::gpu {

/// Consecutive rows of numbers in device memory. Row r has code r % ncodes, because a diagonal of R
/// has similar numbers in all fibers.
struct NumberRows {
  const double* values = nullptr;
  std::size_t nrows = 0;
  int length = 0;  ///< numbers per row
  int ncodes = 1;
};

/// Numbers per deflate block for rows of this length: a row, or an equal part of a row.
[[nodiscard]] int numbers_of_block(int length);

/// Packs images one after another, on the stream of a context.
class ResolutionPacker {
 public:
  /// The size and checksums of the output of pack().
  struct Plan {
    std::size_t deflated = 0;   ///< compressed bytes, including those of end_blocks()
    std::size_t size = 0;       ///< uncompressed bytes
    std::uint32_t crc = 0;      ///< see PackedImage
    std::uint32_t datasum = 0;  ///< see PackedImage

    /// Words of `deflated`; the last word may be partial.
    [[nodiscard]] std::size_t words() const {
      return (deflated + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t);
    }
  };

  explicit ResolutionPacker(const Context& context) : context_(&context) {}

  /// Counts the bytes of the rows as float32, on the stream. `rows` must not be empty.
  void survey(const NumberRows& rows);
  /// Waits for survey(). Returns nothing if a number is not finite as float32, or if packing would
  /// not save bytes.
  [[nodiscard]] std::optional<Plan> plan();
  /// Writes the rows of plan() to `to`, which must hold the plan's words, on the stream. Does not
  /// write the part of end_blocks(). The same rows give the same bytes.
  void pack(std::uint32_t* to);

  /// A code for kernels.
  struct Code {
    std::uint32_t header[block_header_words];
    std::uint32_t symbol[literal_symbols];  ///< bits, and their number from bit 16 on
  };
  /// The results of survey() over all rows.
  struct Totals {
    unsigned long long sum;  ///< sum of the words
    std::uint32_t crc;
    std::uint32_t not_finite;  ///< nonzero if a number is not finite
  };

 private:
  const Context* context_;
  NumberRows rows_;
  std::size_t words_ = 0;  // words of the packed image
  Event surveyed_;
  DeviceBuffer<Totals> totals_{1};
  PinnedBuffer<Totals> host_totals_{1};
  DeviceBuffer<std::uint32_t> counts_;  // counts of each byte, by code
  PinnedBuffer<std::uint32_t> host_counts_;
  DeviceBuffer<std::uint16_t> block_counts_;  // counts of each byte, by block
  DeviceBuffer<Code> codes_;
  PinnedBuffer<Code> host_codes_;
  DeviceBuffer<std::uint64_t> bits_, offsets_;  // per block
  DeviceBuffer<std::byte> scratch_;             // of the prefix sum of bits_
};

}  // namespace spex::gpu
