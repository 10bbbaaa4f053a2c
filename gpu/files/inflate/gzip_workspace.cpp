#include "gpu/files/inflate/gzip_workspace.hpp"

#include "gpu/files/inflate/allocates.hpp"

namespace spex::gpu {
namespace {

using namespace deflate;

constexpr std::uint32_t max_blocks = 65536;
// Of blocks that do not look like one: one stands for itself and the stored ones that follow.
constexpr int max_added_blocks = 32;
// Headers of last blocks are searched for among the last bytes only: twice as many bits would look
// like a header.
constexpr std::size_t last_block_within = 131072;

template <class T>
T* room_for(DeviceBuffer<T>& buffer, std::size_t count) {
  reserve(buffer, count);
  return buffer.get();
}

}  // namespace

GzipWorkspace::GzipWorkspace() {
  int device = 0, multiprocessors = 0;
  SPEX_GPU_CHECK(cudaGetDevice(&device));
  SPEX_GPU_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  grid_ = {context_.stream(), static_cast<unsigned>(multiprocessors)};
  prefer_cache();
}

Job GzipWorkspace::make_job(std::span<const char> file, const GzipMember& member) {
  const std::size_t size = file.size();
  Job job{};
  job.words = room_for(words_, (size + padding) / sizeof(std::uint32_t) + 1);
  job.first_bit = static_cast<std::uint32_t>(member.begin * 8);
  job.end_bit = static_cast<std::uint32_t>(member.end * 8);
  job.last_from = static_cast<std::uint32_t>(
      size > last_block_within ? (size - last_block_within) / sizeof(std::uint32_t) : 0);
  job.size = member.size;
  job.max_candidates = static_cast<std::uint32_t>(size / 64 + 65536);  // 5 times the usual number
  job.candidates = room_for(candidates_, job.max_candidates);
  job.max_blocks = max_blocks;
  job.blocks = room_for(blocks_, max_blocks);
  job.code_lengths = room_for(code_lengths_, std::size_t{max_blocks} * max_code_lengths);
  std::uint32_t* of_blocks = room_for(of_blocks_, std::size_t{max_blocks} * 6);
  for (std::uint32_t** const array : {&job.begins, &job.sorted_begins, &job.sorted_blocks,
                                      &job.next_rank, &job.first_byte, &job.first_match}) {
    *array = of_blocks;
    of_blocks += max_blocks;
  }
  job.max_windows = static_cast<std::uint32_t>(max_blocks + size / 4096);
  job.windows = room_for(windows_, job.max_windows);
  job.out = room_for(out_, member.size + 1);
  job.buckets = room_for(buckets_, member.size / 64 + 2);
  job.counts = counts_.get();
  return job;
}

void GzipWorkspace::add_matches(Job& job, std::size_t nmatches) {
  job.match_begin = room_for(match_begin_, nmatches);
  job.matches = room_for(matches_, nmatches);
  job.first_link = room_for(first_link_, nmatches);
}

void GzipWorkspace::add_links(Job& job, std::size_t nlinks) {
  job.links = room_for(links_, nlinks);
  job.link_begin = room_for(link_begin_, nlinks);
}

void GzipWorkspace::upload(std::span<const char> file) {
  auto* const to = reinterpret_cast<char*>(words_.get());
  SPEX_GPU_CHECK(
      cudaMemcpyAsync(to, file.data(), file.size(), cudaMemcpyHostToDevice, grid_.stream));
  SPEX_GPU_CHECK(cudaMemsetAsync(to + file.size(), 0, padding, grid_.stream));
  SPEX_GPU_CHECK(cudaMemsetAsync(counts_.get(), 0, counts_.bytes(), grid_.stream));
}

Counts GzipWorkspace::wait_for_counts() {
  SPEX_GPU_CHECK(cudaMemcpyAsync(host_counts_.get(), counts_.get(), counts_.bytes(),
                                 cudaMemcpyDeviceToHost, grid_.stream));
  wait_for(grid_.stream);
  return *host_counts_.get();
}

Counts GzipWorkspace::find_chain(const Job& job) {
  find_blocks(job, grid_);
  std::uint32_t known = 0;
  for (int added = 0;; ++added) {
    read_headers(job, known, grid_);
    scan_blocks(job, known, grid_);
    follow_chain(job, grid_);
    const Counts counts = wait_for_counts();
    if (counts.error != 0 || counts.tip != Tip::open || counts.blocks == known ||
        added == max_added_blocks)
      return counts;
    known = counts.blocks;
    extend_chain(job, grid_);
  }
}

bool GzipWorkspace::inflate(std::span<char> memory, std::size_t size, const GzipMember& member) {
  const std::span<const char> file = memory.first(size);
  Job job{};
  if (!allocates([&] { job = make_job(file, member); })) return false;
  upload(file);
  const Counts found = find_chain(job);
  if (found.error != 0 || found.tip != Tip::at_trailer || found.bytes != member.size) return false;
  if (!allocates([&] { add_matches(job, found.matches); })) return false;
  SPEX_GPU_CHECK(
      cudaMemsetAsync(job.buckets, 0, (member.size / 64 + 2) * sizeof(Bucket), grid_.stream));
  write_windows(job, found.windows, grid_);
  join_runs(job, found.windows, grid_);
  copy_matches(job, found.matches, grid_);
  count_links(job, found.matches, grid_);
  const Counts written = wait_for_counts();
  if (written.error != 0 || !allocates([&] { add_links(job, written.links); })) return false;
  follow_links(job, found.matches, grid_);
  sum_crc(job, grid_);
  const Counts counts = wait_for_counts();
  if (counts.error != 0 || join_crc(counts.crc, job.size) != member.crc) return false;
  if (member.size != 0)
    SPEX_GPU_CHECK(
        cudaMemcpyAsync(memory.data(), job.out, member.size, cudaMemcpyDeviceToHost, grid_.stream));
  wait_for(grid_.stream);
  return true;
}

}  // namespace spex::gpu
