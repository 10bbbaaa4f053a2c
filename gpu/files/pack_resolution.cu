#include <algorithm>
#include <span>

#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "gpu/core/block.cuh"
#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/files/crc32.cuh"
#include "gpu/files/pack_resolution.hpp"
#include "reference/fits/fits_checksum.hpp"

namespace spex::gpu {
namespace {

using Code = ResolutionPacker::Code;
using Totals = ResolutionPacker::Totals;

constexpr int threads = 256;
constexpr int span = 12;  // numbers per thread
constexpr int max_numbers = threads * span;
constexpr int bytes_of_number = sizeof(float);
static_assert(threads == literals);  // one thread per byte value

// Division of rows into deflate blocks.
struct Blocks {
  NumberRows rows;
  int per_row;
  int length;  // numbers, except in the last block of a row

  // Block k.
  struct Block {
    const double* values;
    int count;
    int code;
    std::size_t bytes_after;
  };
  [[nodiscard]] __host__ __device__ std::size_t count() const { return rows.nrows * per_row; }
  [[nodiscard]] __device__ int code(std::size_t k) const {
    return static_cast<int>(k / per_row % rows.ncodes);
  }
  [[nodiscard]] __device__ Block block(std::size_t k) const {
    const std::size_t row = k / per_row;
    const int first = static_cast<int>(k % per_row) * length;
    const int count = min(length, rows.length - first);
    const std::size_t begin = row * rows.length + first;
    return {rows.values + begin, count, code(k),
            (rows.nrows * rows.length - begin - count) * bytes_of_number};
  }
};

Blocks cut(const NumberRows& rows) {
  const int length = numbers_of_block(rows.length);
  return {rows, blocks_for(rows.length, length), length};
}

constexpr int room_of_words = max_numbers + threads;

// The numbers of a block as float32 in shared memory, and this thread's part. The last thread ends
// with the block's last number, so that the number of bytes after a thread's part is the same in
// every block.
class Words {
 public:
  __device__ Words(const Blocks::Block& block, std::uint32_t* room)
      : word_(room), first_(max_numbers - block.count) {
    for (int i = static_cast<int>(threadIdx.x); i < block.count; i += threads)
      word_[place(first_ + i)] = __float_as_uint(static_cast<float>(block.values[i]));
    __syncthreads();
  }
  // Calls visit(word) for this thread's words in order.
  template <class Visit>
  __device__ void for_each_of_thread(const Visit& visit) const {
    const int begin = static_cast<int>(threadIdx.x) * span;
    for (int i = max(begin, first_); i < begin + span; ++i) visit(word_[place(i)]);
  }

 private:
  // Words of neighboring threads are in different banks of shared memory.
  __device__ static int place(int i) { return i + i / span; }

  std::uint32_t* word_;
  int first_;
};

// Calls visit(byte) in file order, which is big-endian.
template <class Visit>
__device__ void for_each_byte(std::uint32_t word, const Visit& visit) {
  for (int shift = 24; shift >= 0; shift -= 8) visit(word >> shift & 0xFFU);
}

__device__ const CrcTables crc_tables = make_crc_tables();

// x^(8 bytes) for the bytes of k threads.
struct ThreadPowers {
  std::uint32_t of[threads];
};
constexpr ThreadPowers make_thread_powers() {
  ThreadPowers powers{};
  powers.of[0] = 1U << 31;
  std::uint32_t of_thread = powers.of[0];
  for (int k = 0; k < span * bytes_of_number; ++k)
    of_thread = multiply_crc(of_thread, crc_of_a_byte);
  for (int k = 1; k < threads; ++k) powers.of[k] = multiply_crc(powers.of[k - 1], of_thread);
  return powers;
}
__device__ const ThreadPowers thread_powers = make_thread_powers();

__global__ void __launch_bounds__(threads)
    survey_kernel(Blocks blocks, std::uint32_t* counts, std::uint16_t* block_counts,
                  Totals* totals) {
  __shared__ std::uint32_t room[room_of_words], count[literals], crc_of_byte[256];
  const auto t = static_cast<int>(threadIdx.x);
  const Blocks::Block block = blocks.block(blockIdx.x);
  count[t] = 0;
  crc_of_byte[t] = crc_tables.byte[t];
  const Words words(block, room);
  unsigned long long sum = 0;
  std::uint32_t crc = ~0U;
  bool finite = true;
  words.for_each_of_thread([&](std::uint32_t word) {
    constexpr std::uint32_t exponent = 0x7F800000U;
    sum += word;
    finite = finite && (word & exponent) != exponent;
    for_each_byte(word, [&](std::uint32_t byte) {
      atomicAdd(&count[byte], 1U);
      crc = crc_of_byte[(crc ^ byte) & 0xFFU] ^ crc >> 8;
    });
  });
  crc = multiply_crc(thread_powers.of[threads - 1 - t], ~crc);
  sum = merge_block<threads>(sum, [](auto a, auto b) { return a + b; });
  crc = merge_block<threads>(crc, [](auto a, auto b) { return a ^ b; });
  if (!finite) atomicOr(&totals->not_finite, 1U);
  if (t == 0) {
    atomicAdd(&totals->sum, sum);
    atomicXor(&totals->crc, shift_crc(crc_tables, crc, block.bytes_after));
  }
  block_counts[static_cast<std::size_t>(blockIdx.x) * literals + t] =
      static_cast<std::uint16_t>(count[t]);
  if (count[t] != 0) atomicAdd(&counts[block.code * literals + t], count[t]);
}

__device__ std::uint32_t bits_of(std::uint32_t symbol) {
  return symbol & 0xFFFFU;
}
__device__ std::uint32_t nbits_of(std::uint32_t symbol) {
  return symbol >> 16;
}

// Counts the bits of each block; one warp per block.
__global__ void __launch_bounds__(threads)
    measure_kernel(Blocks blocks, const std::uint16_t* block_counts, const Code* codes,
                   std::uint64_t* bits) {
  const std::size_t k = (static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x) / warp_size;
  if (k >= blocks.count()) return;
  const std::uint32_t lane = threadIdx.x % warp_size;
  const Code& code = codes[blocks.code(k)];
  std::uint32_t sum = 0;
  for (std::uint32_t byte = lane; byte < literals; byte += warp_size)
    sum += block_counts[k * literals + byte] * nbits_of(code.symbol[byte]);
  sum = __reduce_add_sync(~0U, sum);
  if (lane == 0) bits[k] = block_header_bits + sum + nbits_of(code.symbol[end_of_block]);
}

// ORs bits into zeroed memory.
__device__ void put_bits(std::uint32_t* to, std::uint32_t at, std::uint32_t bits) {
  const std::uint64_t shifted = static_cast<std::uint64_t>(bits) << at % 32;
  atomicOr(&to[at / 32], static_cast<std::uint32_t>(shifted));
  if (shifted >> 32 != 0) atomicOr(&to[at / 32 + 1], static_cast<std::uint32_t>(shifted >> 32));
}

constexpr std::size_t max_bits = 31 + block_header_bits + 15 * (max_numbers * bytes_of_number + 1);
constexpr std::size_t max_words = (max_bits + 31) / 32;

__global__ void __launch_bounds__(threads)
    encode_kernel(Blocks blocks, const Code* codes, const std::uint64_t* bits,
                  const std::uint64_t* offsets, std::uint32_t* to) {
  using Scan = cub::BlockScan<std::uint32_t, threads>;
  __shared__ std::uint32_t room[room_of_words], symbol[literal_symbols], out[max_words];
  __shared__ typename Scan::TempStorage scan;
  const std::uint32_t t = threadIdx.x;
  const Blocks::Block block = blocks.block(blockIdx.x);
  const Code& code = codes[block.code];
  const std::uint64_t offset = offsets[blockIdx.x];
  const auto begin = static_cast<std::uint32_t>(offset % 32);
  const auto nwords = (begin + static_cast<std::uint32_t>(bits[blockIdx.x]) + 31) / 32;
  for (std::uint32_t k = t; k < literal_symbols; k += threads) symbol[k] = code.symbol[k];
  for (std::uint32_t k = t; k < nwords; k += threads) out[k] = 0;
  const Words words(block, room);

  std::uint32_t mine = 0, before = 0, all = 0;
  words.for_each_of_thread([&](std::uint32_t word) {
    for_each_byte(word, [&](std::uint32_t byte) { mine += nbits_of(symbol[byte]); });
  });
  Scan(scan).ExclusiveSum(mine, before, all);
  const std::uint32_t literals_begin = begin + block_header_bits;
  std::uint32_t at = (literals_begin + before) / 32;
  std::uint32_t filled = (literals_begin + before) % 32;
  std::uint64_t pending = 0;  // `filled` bits; each full word is written at once
  words.for_each_of_thread([&](std::uint32_t word) {
    for_each_byte(word, [&](std::uint32_t byte) {
      pending |= static_cast<std::uint64_t>(bits_of(symbol[byte])) << filled;
      filled += nbits_of(symbol[byte]);
      if (filled < 32) return;
      atomicOr(&out[at++], static_cast<std::uint32_t>(pending));
      pending >>= 32;
      filled -= 32;
    });
  });
  if (pending != 0) atomicOr(&out[at], static_cast<std::uint32_t>(pending));
  if (t < block_header_words) put_bits(out, begin + 32 * t, code.header[t]);
  if (t == 0) put_bits(out, literals_begin + all, bits_of(symbol[end_of_block]));
  __syncthreads();
  // Neighbors write to the words at both ends, too.
  std::uint32_t* const first = to + offset / 32;
  for (std::uint32_t k = t; k < nwords; k += threads)
    if (k == 0 || k + 1 == nwords)
      atomicOr(&first[k], out[k]);
    else
      first[k] = out[k];
}

template <class T>
void copy(const T* from, std::size_t count, T* to, cudaMemcpyKind kind, cudaStream_t stream) {
  SPEX_GPU_CHECK(cudaMemcpyAsync(to, from, count * sizeof(T), kind, stream));
}

}  // namespace

int numbers_of_block(int length) {
  return blocks_for(length, blocks_for(length, max_numbers));
}

void ResolutionPacker::survey(const NumberRows& rows) {
  const cudaStream_t stream = context_->stream();
  rows_ = rows;
  const Blocks blocks = cut(rows);
  const std::size_t ncounts = rows.ncodes * literals;
  reserve(counts_, ncounts);
  reserve(host_counts_, ncounts);
  reserve(block_counts_, blocks.count() * literals);
  SPEX_GPU_CHECK(cudaMemsetAsync(counts_.get(), 0, ncounts * sizeof(std::uint32_t), stream));
  SPEX_GPU_CHECK(cudaMemsetAsync(totals_.get(), 0, totals_.bytes(), stream));
  survey_kernel<<<static_cast<unsigned>(blocks.count()), threads, 0, stream>>>(
      blocks, counts_.get(), block_counts_.get(), totals_.get());
  SPEX_LAUNCH_CHECK();
  copy(counts_.get(), ncounts, host_counts_.get(), cudaMemcpyDeviceToHost, stream);
  copy(totals_.get(), 1, host_totals_.get(), cudaMemcpyDeviceToHost, stream);
  surveyed_.record(stream);
}

std::optional<ResolutionPacker::Plan> ResolutionPacker::plan() {
  surveyed_.wait();
  const Totals& totals = *host_totals_.get();
  if (totals.not_finite != 0) return std::nullopt;
  const Blocks blocks = cut(rows_);
  reserve(host_codes_, rows_.ncodes);
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(rows_.ncodes); ++k) {
    const std::size_t rows_of_code = (rows_.nrows + rows_.ncodes - 1 - k) / rows_.ncodes;
    const std::uint64_t nblocks = rows_of_code * blocks.per_row;
    const std::span<const std::uint32_t, literals> counts(host_counts_.get() + k * literals,
                                                          literals);
    const LiteralCode code = make_literal_code(counts, static_cast<std::uint32_t>(nblocks));
    Code& to = host_codes_.get()[k];
    std::ranges::copy(block_header(code), to.header);
    for (std::size_t symbol = 0; symbol < literal_symbols; ++symbol)
      to.symbol[symbol] = code.bits[symbol] | code.nbits[symbol] << 16;
    bits += nblocks * (block_header_bits + code.nbits[end_of_block]);
    for (std::size_t byte = 0; byte < literals; ++byte)
      bits += std::uint64_t{counts[byte]} * code.nbits[byte];
  }
  const Plan plan{bytes_of_blocks(bits), rows_.nrows * rows_.length * bytes_of_number, totals.crc,
                  add_checksums(static_cast<std::uint32_t>(totals.sum >> 32),
                                static_cast<std::uint32_t>(totals.sum))};
  if (plan.deflated >= plan.size) return std::nullopt;
  words_ = plan.words();
  return plan;
}

void ResolutionPacker::pack(std::uint32_t* to) {
  const cudaStream_t stream = context_->stream();
  const Blocks blocks = cut(rows_);
  const auto count = static_cast<int>(blocks.count());
  reserve(codes_, rows_.ncodes);
  reserve(bits_, blocks.count());
  reserve(offsets_, blocks.count());
  copy(host_codes_.get(), rows_.ncodes, codes_.get(), cudaMemcpyHostToDevice, stream);
  SPEX_GPU_CHECK(cudaMemsetAsync(to, 0, words_ * sizeof(std::uint32_t), stream));
  measure_kernel<<<blocks_for(count, threads / warp_size), threads, 0, stream>>>(
      blocks, block_counts_.get(), codes_.get(), bits_.get());
  SPEX_LAUNCH_CHECK();
  std::size_t room = 0;
  SPEX_GPU_CHECK(
      cub::DeviceScan::ExclusiveSum(nullptr, room, bits_.get(), offsets_.get(), count, stream));
  reserve(scratch_, room);
  SPEX_GPU_CHECK(cub::DeviceScan::ExclusiveSum(scratch_.get(), room, bits_.get(), offsets_.get(),
                                               count, stream));
  encode_kernel<<<count, threads, 0, stream>>>(blocks, codes_.get(), bits_.get(), offsets_.get(),
                                               to);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
