#include <algorithm>

#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/files/inflate/crc.cuh"
#include "gpu/files/inflate/matches.cuh"
#include "gpu/files/inflate/stages.hpp"

namespace spex::gpu::deflate {
namespace {

constexpr uint32_t threads = 256, warps = threads / lanes;

__global__ void __launch_bounds__(threads) mark_kernel(const Job job, uint32_t parts) {
  const uint32_t part = blockIdx.x * threads + threadIdx.x;
  if (part < parts && job.counts->error == 0) mark_run(job, part);
}

__global__ void __launch_bounds__(threads) join_kernel(const Job job, uint32_t parts) {
  const uint32_t part = blockIdx.x * threads + threadIdx.x;
  if (part < parts && (job.counts->error & ~open_run) == 0) join_run(job, part);
}

// Calls step(batch, first) for the warp's share of `n` matches.
template <class Step>
__device__ void for_batches(const Job& job, uint32_t n, const Step& step) {
  __shared__ MatchBatch batches[warps];
  if (any_lane(job.counts->error != 0)) return;
  const uint32_t warp = blockIdx.x * warps + threadIdx.x / lanes;
  for (uint32_t first = warp * lanes; first < n; first += gridDim.x * warps * lanes)
    step(batches[threadIdx.x / lanes], first);
}

__global__ void __launch_bounds__(threads) round_kernel(const Job job, uint32_t n, uint32_t round) {
  for_batches(job, n, [&](MatchBatch& batch, uint32_t first) {
    copy_in_round(job, batch, first, n, round);
  });
}
__global__ void __launch_bounds__(threads) count_links_kernel(const Job job, uint32_t n) {
  for_batches(job, n,
              [&](MatchBatch& batch, uint32_t first) { count_links(job, batch, first, n); });
}
__global__ void __launch_bounds__(threads) link_kernel(const Job job, uint32_t n) {
  for_batches(job, n,
              [&](MatchBatch& batch, uint32_t first) { link_matches(job, batch, first, n); });
}

// Follows all links; does nothing if they were final the time before.
__global__ void __launch_bounds__(threads) follow_links_kernel(const Job job, uint32_t time) {
  Counts& counts = *job.counts;
  if (counts.error != 0 || (time > 0 && counts.unfinished[time - 1] == 0)) return;
  bool all_final = true;
  for (uint32_t k = blockIdx.x * threads + threadIdx.x; k < counts.links; k += gridDim.x * threads)
    all_final = follow_link(job, k) && all_final;
  if (!all_final) counts.unfinished[time] = 1;
}
__global__ void __launch_bounds__(threads) copy_links_kernel(const Job job) {
  const Counts& counts = *job.counts;
  if (counts.error != 0) return;
  for (uint32_t k = blockIdx.x * threads + threadIdx.x; k < counts.links; k += gridDim.x * threads)
    copy_link(job, k);
}

__device__ const CrcTables crc_tables = make_crc_tables();
__device__ const CrcSteps crc_steps = make_crc_steps(make_crc_tables());

template <class Table>
__device__ void load_table(const Table& from, Table& to) {
  for (uint32_t i = threadIdx.x; i < sizeof(Table) / sizeof(uint32_t); i += threads)
    reinterpret_cast<uint32_t*>(&to)[i] = reinterpret_cast<const uint32_t*>(&from)[i];
}

__global__ void __launch_bounds__(threads) crc_kernel(const Job job, uint32_t pieces) {
  __shared__ CrcTables tables;
  __shared__ CrcSteps steps;
  load_table(crc_tables, tables);
  load_table(crc_steps, steps);
  __syncthreads();
  const uint32_t lane = threadIdx.x % lanes;
  uint32_t sum = 0;
  for (uint32_t k = blockIdx.x * warps + threadIdx.x / lanes; k < pieces; k += gridDim.x * warps) {
    const unsigned long long begin = static_cast<unsigned long long>(k) * crc_piece;
    const auto size =
        static_cast<uint32_t>(min(static_cast<unsigned long long>(crc_piece), job.size - begin));
    const uint32_t rows = size / crc_row;
    const auto* const words = reinterpret_cast<const uint32_t*>(job.out + begin);
    uint32_t crc = __reduce_xor_sync(~0U, crc_of_lane(words, rows, lane, tables, steps));
    if (lane != 0) continue;
    for (uint32_t i = rows * crc_row; i < size; ++i)
      crc = tables.byte[(crc ^ job.out[begin + i]) & 255U] ^ crc >> 8;
    sum ^= shift_crc(tables, crc, job.size - begin - size);
  }
  if (lane == 0 && sum != 0) atomicXor(&job.counts->crc, sum);
}

}  // namespace

void join_runs(const Job& job, uint32_t windows, const Grid& grid) {
  if (windows == 0) return;  // an empty file
  const uint32_t parts = windows * lanes;
  mark_kernel<<<blocks_for(parts, threads), threads, 0, grid.stream>>>(job, parts);
  SPEX_LAUNCH_CHECK();
  join_kernel<<<blocks_for(parts, threads), threads, 0, grid.stream>>>(job, parts);
  SPEX_LAUNCH_CHECK();
}

void copy_matches(const Job& job, uint32_t matches, const Grid& grid) {
  for (uint32_t round = 1; round <= rounds; ++round) {
    round_kernel<<<grid.multiprocessors * 8, threads, 0, grid.stream>>>(job, matches, round);
    SPEX_LAUNCH_CHECK();
  }
}

void count_links(const Job& job, uint32_t matches, const Grid& grid) {
  count_links_kernel<<<grid.multiprocessors * 8, threads, 0, grid.stream>>>(job, matches);
  SPEX_LAUNCH_CHECK();
}

void follow_links(const Job& job, uint32_t matches, const Grid& grid) {
  const unsigned blocks = grid.multiprocessors * 8;
  link_kernel<<<blocks, threads, 0, grid.stream>>>(job, matches);
  SPEX_LAUNCH_CHECK();
  for (uint32_t time = 0; time < times_followed; ++time) {
    follow_links_kernel<<<blocks, threads, 0, grid.stream>>>(job, time);
    SPEX_LAUNCH_CHECK();
  }
  copy_links_kernel<<<blocks, threads, 0, grid.stream>>>(job);
  SPEX_LAUNCH_CHECK();
}

void sum_crc(const Job& job, const Grid& grid) {
  const auto pieces = static_cast<uint32_t>((job.size + crc_piece - 1) / crc_piece);
  if (pieces == 0) return;
  const auto blocks = std::min<unsigned>(blocks_for(pieces, warps), grid.multiprocessors * 4);
  crc_kernel<<<blocks, threads, 0, grid.stream>>>(job, pieces);
  SPEX_LAUNCH_CHECK();
}

uint32_t join_crc(uint32_t sum, unsigned long long size) {
  static constexpr CrcTables tables = make_crc_tables();
  return ~(sum ^ shift_crc(tables, ~0U, size));
}

}  // namespace spex::gpu::deflate
