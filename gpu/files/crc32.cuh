// CRC-32 (RFC 1952) on the GPU, combined from CRCs of parts.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

namespace spex::gpu {

/// The CRC-32 polynomial, with x^0 in the highest bit; x^8 in the same form.
inline constexpr std::uint32_t crc_polynomial = 0xEDB88320U, crc_of_a_byte = 1U << 23;

/// a b modulo the polynomial.
__host__ __device__ constexpr std::uint32_t multiply_crc(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 1U << 31; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b & 1U) != 0 ? b >> 1 ^ crc_polynomial : b >> 1;
  }
  return product;
}

/// Lookup tables of CRC computation.
struct CrcTables {
  std::uint32_t byte[256];  ///< contribution of a byte shifted out of the CRC
  std::uint32_t power[32];  ///< x^(8 2^k): factor of a CRC that is followed by 2^k bytes
};
/// Creates the tables, which a kernel reads from a variable in its source file.
constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t k = 0; k < 256; ++k) {
    tables.byte[k] = k;
    for (int bit = 0; bit < 8; ++bit)
      tables.byte[k] =
          (tables.byte[k] & 1U) != 0 ? tables.byte[k] >> 1 ^ crc_polynomial : tables.byte[k] >> 1;
  }
  tables.power[0] = crc_of_a_byte;
  for (int k = 1; k < 32; ++k)
    tables.power[k] = multiply_crc(tables.power[k - 1], tables.power[k - 1]);
  return tables;
}

/// The contribution of a part with CRC `crc` that is followed by `more` bytes. The CRC of the whole
/// is the exclusive or of all parts' contributions.
__host__ __device__ inline std::uint32_t shift_crc(const CrcTables& tables, std::uint32_t crc,
                                                   std::size_t more) {
  for (int k = 0; more != 0; more >>= 1, ++k)  // x^(2^32) is x
    if ((more & 1U) != 0) crc = multiply_crc(tables.power[k % 32], crc);
  return crc;
}

}  // namespace spex::gpu
