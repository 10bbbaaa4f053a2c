#include <algorithm>

#include "gpu/core/check.hpp"
#include "gpu/files/inflate/chain.cuh"
#include "gpu/files/inflate/stages.hpp"

namespace spex::gpu::deflate {
namespace {

constexpr uint32_t threads = 256, warps = threads / lanes;
constexpr uint32_t tile = 256;      // words that a warp searches at once
constexpr uint32_t list_room = 64;  // candidates that a warp gathers

__device__ void put_candidate(const Job& job, uint32_t place, uint32_t bit) {
  if (place < job.max_candidates)
    job.candidates[place] = bit;
  else
    atomicOr(&job.counts->error, too_many_candidates);
}

// A warp's share of shared memory.
struct Tile {
  uint32_t word[tile + 4];
  uint32_t possible[tile];  // bits where a header may begin
  uint32_t list[list_room], listed;
};

__device__ void put_list(const Job& job, Tile& mine) {
  const uint32_t lane = threadIdx.x % lanes, count = min(mine.listed, list_room);
  uint32_t place = 0;
  if (lane == 0) place = atomicAdd(&job.counts->candidates, count);
  place = __shfl_sync(~0U, place, 0);
  for (uint32_t i = lane; i < count; i += lanes) put_candidate(job, place + i, mine.list[i]);
  __syncwarp();
  if (lane == 0) mine.listed = 0;
  __syncwarp();
}

__device__ void load_tile(const Job& job, Tile& mine, uint32_t begin, uint32_t end) {
  const uint32_t lane = threadIdx.x % lanes;
  for (uint32_t k = lane; k < tile + 4; k += lanes)
    mine.word[k] = begin + k < end + 4 ? load_word(job.words + begin + k) : 0;
  __syncwarp();
  for (uint32_t k = lane; k < tile; k += lanes)
    mine.possible[k] = begin + k < end ? possible_headers(mine.word[k], mine.word[k + 1],
                                                          begin + k >= job.last_from)
                                       : 0;
  __syncwarp();
}

// Lists those of a tile whose code length code is complete. A lane takes every 32nd word, and goes
// on to its next word at once.
__device__ void search_tile(const Job& job, Tile& mine, uint32_t begin, const uint8_t* used) {
  uint32_t k = threadIdx.x % lanes, possible = mine.possible[k];
  while (true) {
    if (possible == 0) {
      k += lanes;
      if (k >= tile) break;
      possible = mine.possible[k];
      if (possible == 0) continue;
    }
    const uint32_t bit = k * 32 + static_cast<uint32_t>(__ffs(static_cast<int>(possible))) - 1;
    possible &= possible - 1;
    const uint32_t count_at = bit + 13, i = count_at / 32;
    if (!is_complete({{mine.word[i], mine.word[i + 1], mine.word[i + 2]}, count_at % 32}, used))
      continue;
    const uint32_t place = atomicAdd(&mine.listed, 1U), found = begin * 32 + bit;
    if (place < list_room)
      mine.list[place] = found;
    else
      put_candidate(job, atomicAdd(&job.counts->candidates, 1U), found);
  }
  __syncwarp();
}

__global__ void __launch_bounds__(threads)
    search_kernel(const Job job, uint32_t begin, uint32_t end) {
  __shared__ uint8_t used[4096];
  __shared__ Tile tiles[warps];
  for (uint32_t i = threadIdx.x; i < 4096; i += threads) used[i] = words_used_by_four(i);
  Tile& mine = tiles[threadIdx.x / lanes];
  if (threadIdx.x % lanes == 0) mine.listed = 0;
  __syncthreads();
  const uint32_t warp = blockIdx.x * warps + threadIdx.x / lanes;
  for (uint32_t at = begin + warp * tile; at < end; at += gridDim.x * warps * tile) {
    load_tile(job, mine, at, end);
    search_tile(job, mine, at, used);
    if (mine.listed >= list_room / 2) put_list(job, mine);
    __syncwarp();
  }
  put_list(job, mine);
}

__global__ void first_block_kernel(const Job job) {
  add_next_block(job, job.first_bit);
}

constexpr uint32_t verify_threads = 128;
__global__ void __launch_bounds__(verify_threads) verify_kernel(const Job job) {
  __shared__ uint8_t tables[length_table_size * verify_threads];
  const uint32_t n = min(job.counts->candidates, job.max_candidates);
  for (uint32_t k = blockIdx.x * verify_threads + threadIdx.x; k < n;
       k += gridDim.x * verify_threads) {
    const uint32_t at = job.candidates[k];
    if (at > job.first_bit && at < job.end_bit &&
        verify_header(job.words, at, tables + threadIdx.x, verify_threads))
      add_block(job, at, dynamic_block, bits_at(job.words, at) & 1U);
  }
}

// A warp per block counts the blocks before it.
__global__ void __launch_bounds__(threads) rank_kernel(const Job job) {
  const uint32_t n = count_blocks(job), lane = threadIdx.x % lanes;
  for (uint32_t id = blockIdx.x * warps + threadIdx.x / lanes; id < n; id += gridDim.x * warps) {
    const uint32_t begin = job.begins[id];
    uint32_t before = 0;
    for (uint32_t other = lane; other < n; other += lanes) {
      const uint32_t begin_of_other = job.begins[other];
      if (begin_of_other < begin || (begin_of_other == begin && other < id)) ++before;
    }
    before = __reduce_add_sync(~0U, before);
    if (lane != 0) continue;
    job.sorted_begins[before] = begin;
    job.sorted_blocks[before] = id;
  }
}

constexpr uint32_t header_threads = 64;
__global__ void __launch_bounds__(header_threads) header_kernel(const Job job, uint32_t from) {
  __shared__ uint8_t tables[length_table_size * header_threads];
  const uint32_t n = count_blocks(job);
  for (uint32_t id = from + blockIdx.x * header_threads + threadIdx.x; id < n;
       id += gridDim.x * header_threads)
    read_header(job, id, tables + threadIdx.x, header_threads);
}

}  // namespace

void find_blocks(const Job& job, const Grid& grid) {
  constexpr unsigned per_multiprocessor = 8, verifying = 12;
  search_kernel<<<grid.multiprocessors * per_multiprocessor, threads, 0, grid.stream>>>(
      job, job.first_bit / 32, (job.end_bit + 31) / 32);
  SPEX_LAUNCH_CHECK();
  first_block_kernel<<<1, 1, 0, grid.stream>>>(job);
  SPEX_LAUNCH_CHECK();
  verify_kernel<<<grid.multiprocessors * verifying, verify_threads, 0, grid.stream>>>(job);
  SPEX_LAUNCH_CHECK();
}

void read_headers(const Job& job, uint32_t from, const Grid& grid) {
  rank_kernel<<<grid.multiprocessors * 8, threads, 0, grid.stream>>>(job);
  SPEX_LAUNCH_CHECK();
  const unsigned blocks = from == 0 ? grid.multiprocessors * 4 : 1;
  header_kernel<<<blocks, header_threads, 0, grid.stream>>>(job, from);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu::deflate
