// DATASUM and CHECKSUM of an HDU (FITS standard 4.0, section 4.4.2.7).
#pragma once

#include <cstdint>

#include "reference/fits/read/check_headers.hpp"

namespace spex {

/// What a checksum keyword says about the bytes of its HDU.
enum class Sum {
  absent,  ///< no keyword, or its value is blank
  right,
  wrong,
};

/// Both checksums of an HDU.
struct HduSums {
  Sum data = Sum::absent;   ///< DATASUM: the data with their padding
  Sum whole = Sum::absent;  ///< CHECKSUM: header and data
};

/// Compares the keywords of `hdu` with the checksum `datasum` of its data with their padding. The
/// data of a compressed image are its compressed table.
[[nodiscard]] HduSums compare_sums(const FitsHdu& hdu, std::uint32_t datasum);

/// Throws Error(data), which names file and HDU, if a checksum is wrong.
void require_sums(const FitsHdu& hdu, std::uint32_t datasum);

}  // namespace spex
