// CRC-32 of a large array: 32 lanes take every 32nd word of rows of 128 bytes.
#pragma once

#include <array>

#include "gpu/files/crc32.cuh"
#include "gpu/files/inflate/lanes.cuh"

namespace spex::gpu::deflate {

inline constexpr uint32_t crc_row = 128, crc_piece = 65536;  ///< bytes; a warp takes a piece

/// step[k][b]: the CRC of byte k of a word, b, that is followed by a row.
struct CrcSteps {
  uint32_t step[4][256];
};
constexpr CrcSteps make_crc_steps(const CrcTables& tables) {
  constexpr int of_a_row = 7;  // 2^7 bytes
  CrcSteps steps{};
  for (uint32_t k = 0; k < 4; ++k) {
    for (uint32_t bit = 0; bit < 8; ++bit)
      steps.step[k][1U << bit] = multiply_crc(tables.power[of_a_row], 1U << (8 * k + bit));
    for (uint32_t b = 1; b < 256; ++b)  // the CRC is linear
      if ((b & (b - 1)) != 0) steps.step[k][b] = steps.step[k][b & (b - 1)] ^ steps.step[k][b & -b];
  }
  return steps;
}

/// The CRC, from 0 on, of a lane's words of whole rows, as followed by the rest of the last row.
SPEX_HD inline uint32_t crc_of_lane(const uint32_t* words, uint32_t rows, uint32_t lane,
                                    const CrcTables& tables, const CrcSteps& steps) {
  uint32_t crc = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    crc ^= words[row * lanes + lane];
    if (row + 1 < rows)
      crc = steps.step[0][crc & 255U] ^ steps.step[1][crc >> 8 & 255U] ^
            steps.step[2][crc >> 16 & 255U] ^ steps.step[3][crc >> 24];
  }
  return shift_crc(tables, crc, (lanes - lane) * sizeof(uint32_t));
}

}  // namespace spex::gpu::deflate
