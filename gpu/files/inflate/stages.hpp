// Launches of the kernels that inflate a gzip file, in this order.
#pragma once

#include <cuda_runtime.h>

#include "gpu/files/inflate/job.cuh"

namespace spex::gpu::deflate {

/// Where kernels run.
struct Grid {
  cudaStream_t stream = nullptr;
  unsigned multiprocessors = 0;
};

/// Leaves the part of L1 that the tables of pass 1 and 2 do not need to cache their bits. Once per
/// device, the current one.
void prefer_cache();

/// Adds the first block, and all that look like blocks with dynamic codes.
void find_blocks(const Job& job, const Grid& grid);
/// Sorts all blocks, and reads the headers of those from number `from` on.
void read_headers(const Job& job, uint32_t from, const Grid& grid);
/// Pass 1 of the blocks from number `from` on.
void scan_blocks(const Job& job, uint32_t from, const Grid& grid);
/// Follows the chain of blocks: where it ends, and the place of each block's output.
void follow_chain(const Job& job, const Grid& grid);
/// Adds the block at an open tip.
void extend_chain(const Job& job, const Grid& grid);
/// Pass 2 of all `windows`. Buckets must be zero.
void write_windows(const Job& job, uint32_t windows, const Grid& grid);
/// Joins runs of matches across parts of windows. This and what follows does nothing if there is an
/// error.
void join_runs(const Job& job, uint32_t windows, const Grid& grid);
/// Copies most of the matches, in rounds.
void copy_matches(const Job& job, uint32_t matches, const Grid& grid);
/// Counts the links of the other matches' bytes, for which Job::links must then have room.
void count_links(const Job& job, uint32_t matches, const Grid& grid);
/// Copies the other matches by links.
void follow_links(const Job& job, uint32_t matches, const Grid& grid);
/// Sums the CRC of the output into Counts::crc.
void sum_crc(const Job& job, const Grid& grid);

/// The CRC-32 of `size` bytes of which Counts::crc is the sum.
[[nodiscard]] uint32_t join_crc(uint32_t sum, unsigned long long size);

}  // namespace spex::gpu::deflate
