#include <cub/block/block_scan.cuh>

#include "gpu/core/check.hpp"
#include "gpu/files/inflate/stages.hpp"
#include "gpu/files/inflate/write_window.cuh"

namespace spex::gpu::deflate {
namespace {

constexpr uint32_t threads = 128, warps = threads / lanes;
constexpr unsigned blocks_per_multiprocessor = 6;

// The next piece of work, for all lanes of a warp.
__device__ uint32_t take_ticket(uint32_t& ticket) {
  uint32_t mine = 0;
  if (threadIdx.x % lanes == 0) mine = atomicAdd(&ticket, 1U);
  return __shfl_sync(~0U, mine, 0);
}

__global__ void __launch_bounds__(threads, blocks_per_multiprocessor) scan_kernel(const Job job) {
  __shared__ WarpState states[warps];
  WarpState& warp = states[threadIdx.x / lanes];
  const uint32_t n = count_blocks(job);
  while (true) {
    const uint32_t rank = take_ticket(job.counts->ticket[0]);
    if (rank >= n) return;
    const uint32_t id = job.sorted_blocks[rank];
    if (job.blocks[id].type == stored_block) continue;
    scan_block(job, warp, id, rank + 1 < n ? job.sorted_begins[rank + 1] : job.end_bit);
    __syncwarp();
  }
}

// One warp scans the few blocks that were added later.
__global__ void __launch_bounds__(lanes) scan_new_kernel(const Job job, uint32_t from) {
  __shared__ WarpState warp;
  const uint32_t n = count_blocks(job);
  for (uint32_t id = from; id < n; ++id) {
    if (job.blocks[id].type == stored_block) continue;
    const uint32_t next = rank_of(job, n, job.begins[id] + 1);
    scan_block(job, warp, id, next < n ? job.sorted_begins[next] : job.end_bit);
    __syncwarp();
  }
}

__global__ void __launch_bounds__(256) next_kernel(const Job job) {
  const uint32_t n = count_blocks(job);
  for (uint32_t rank = blockIdx.x * 256 + threadIdx.x; rank < n; rank += gridDim.x * 256)
    find_next(job, n, rank);
}

constexpr uint32_t chain_threads = 1024;

// Marks the blocks of the chain by first_byte = 0; returns the rank of the last. Nearly always the
// next block is the next rank, so that 1024 ranks are followed at once.
__device__ uint32_t mark_chain(const Job& job, uint32_t n) {
  __shared__ uint32_t first_jump, after_jump;
  const uint32_t t = threadIdx.x;
  uint32_t rank = 0;
  while (true) {
    if (t == 0) first_jump = chain_threads;
    __syncthreads();
    const uint32_t mine = rank + t, next = mine < n ? job.next_rank[mine] : none;
    if (next != mine + 1) atomicMin(&first_jump, t);
    __syncthreads();
    const uint32_t jump = first_jump;
    if (t <= jump && mine < n) job.first_byte[job.sorted_blocks[mine]] = 0;
    if (t == jump) after_jump = next;
    __syncthreads();
    if (jump == chain_threads)
      rank += chain_threads;
    else if (after_jump == none)
      return rank + jump;
    else
      rank = after_jump;
  }
}

// One block of threads.
__global__ void __launch_bounds__(chain_threads) chain_kernel(const Job job) {
  using Scan = cub::BlockScan<unsigned long long, chain_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage storage;
  const uint32_t n = count_blocks(job);
  if (n == 0 || job.sorted_begins[0] != job.first_bit) {
    if (threadIdx.x == 0) job.counts->tip = Tip::bad;
    return;
  }
  const uint32_t last = mark_chain(job, n);
  if (threadIdx.x == 0) judge_tip(job, last);
  __syncthreads();
  unsigned long long bytes = 0, matches = 0;
  for (uint32_t from = 0; from <= last; from += chain_threads) {
    const uint32_t rank = from + threadIdx.x;
    const uint32_t id = rank <= last ? job.sorted_blocks[rank] : none;
    const bool inside = id != none && job.first_byte[id] == 0;
    unsigned long long of_bytes = 0, of_matches = 0, all_bytes = 0, all_matches = 0;
    Scan(storage).ExclusiveSum(inside ? job.blocks[id].bytes : 0ULL, of_bytes, all_bytes);
    __syncthreads();
    Scan(storage).ExclusiveSum(inside ? job.blocks[id].matches : 0ULL, of_matches, all_matches);
    __syncthreads();
    if (inside) {
      job.first_byte[id] = static_cast<uint32_t>(bytes + of_bytes);
      job.first_match[id] = static_cast<uint32_t>(matches + of_matches);
    }
    bytes += all_bytes;
    matches += all_matches;
  }
  if (threadIdx.x != 0) return;
  job.counts->bytes = bytes;
  job.counts->matches = static_cast<uint32_t>(matches);  // of 3 bytes at least, of 2^31
}

__global__ void extend_kernel(const Job job) {
  add_next_block(job, job.counts->tip_bit);
}

__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    write_kernel(const Job job, uint32_t windows) {
  __shared__ WarpState states[warps];
  WarpState& warp = states[threadIdx.x / lanes];
  while (true) {
    const uint32_t k = take_ticket(job.counts->ticket[1]);
    if (k >= windows) return;
    write_window(job, warp, job.windows[k]);
    __syncwarp();
  }
}

template <class Kernel>
void prefer_cache_for(Kernel* kernel) {
  int device = 0, shared = 0;
  SPEX_GPU_CHECK(cudaGetDevice(&device));
  SPEX_GPU_CHECK(
      cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  constexpr std::size_t reserved = 1024;  // bytes that CUDA takes for each block
  const std::size_t needed = blocks_per_multiprocessor * (warps * sizeof(WarpState) + reserved);
  const int percent = static_cast<int>(needed * 100 / static_cast<std::size_t>(shared)) + 1;
  SPEX_GPU_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                      cudaFuncAttributePreferredSharedMemoryCarveout,
                                      percent < 100 ? percent : 100));
}

}  // namespace

void prefer_cache() {
  prefer_cache_for(scan_kernel);
  prefer_cache_for(write_kernel);
}

void scan_blocks(const Job& job, uint32_t from, const Grid& grid) {
  if (from == 0)
    scan_kernel<<<grid.multiprocessors * blocks_per_multiprocessor, threads, 0, grid.stream>>>(job);
  else
    scan_new_kernel<<<1, lanes, 0, grid.stream>>>(job, from);
  SPEX_LAUNCH_CHECK();
}

void follow_chain(const Job& job, const Grid& grid) {
  next_kernel<<<64, 256, 0, grid.stream>>>(job);
  SPEX_LAUNCH_CHECK();
  chain_kernel<<<1, chain_threads, 0, grid.stream>>>(job);
  SPEX_LAUNCH_CHECK();
}

void extend_chain(const Job& job, const Grid& grid) {
  extend_kernel<<<1, 1, 0, grid.stream>>>(job);
  SPEX_LAUNCH_CHECK();
}

void write_windows(const Job& job, uint32_t windows, const Grid& grid) {
  write_kernel<<<grid.multiprocessors * blocks_per_multiprocessor, threads, 0, grid.stream>>>(
      job, windows);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu::deflate
