// Inflates one gzip file at a time on a GPU.
#pragma once

#include <span>

#include "gpu/core/buffer.hpp"
#include "gpu/core/context.hpp"
#include "gpu/files/inflate/gzip_member.hpp"
#include "gpu/files/inflate/stages.hpp"

namespace spex::gpu {

/// A stream and device memory, which is kept for later files. Belongs to the device that is current
/// when it is created; not thread-safe.
class GzipWorkspace {
 public:
  GzipWorkspace();

  /// Replaces the file in the first `size` bytes of `memory`, which has room for member.size bytes,
  /// by its content, and waits. Page-locked memory is transferred faster. Returns whether the
  /// content is what the trailer describes. False if the file is damaged, of a form that is not
  /// supported, or if device memory is exhausted.
  [[nodiscard]] bool inflate(std::span<char> memory, std::size_t size, const GzipMember& member);

 private:
  using Job = deflate::Job;
  using Counts = deflate::Counts;

  /// Memory whose size the file's size and the trailer give; that of matches, and of links.
  [[nodiscard]] Job make_job(std::span<const char> file, const GzipMember& member);
  void add_matches(Job& job, std::size_t nmatches);
  void add_links(Job& job, std::size_t nlinks);
  void upload(std::span<const char> file);
  [[nodiscard]] Counts wait_for_counts();
  /// Finds all blocks; what is known of their chain then.
  [[nodiscard]] Counts find_chain(const Job& job);

  Context context_{Priority::high};
  deflate::Grid grid_;
  DeviceBuffer<std::uint32_t> words_, candidates_;
  DeviceBuffer<deflate::Block> blocks_;
  DeviceBuffer<std::uint8_t> code_lengths_;
  DeviceBuffer<std::uint32_t> of_blocks_;  // the arrays of a word per block
  DeviceBuffer<deflate::Window> windows_;
  DeviceBuffer<deflate::Bucket> buckets_;
  DeviceBuffer<std::uint32_t> match_begin_, first_link_, links_, link_begin_;
  DeviceBuffer<deflate::Match> matches_;
  DeviceBuffer<std::uint8_t> out_;
  DeviceBuffer<Counts> counts_{1};
  PinnedBuffer<Counts> host_counts_{1};
};

}  // namespace spex::gpu
