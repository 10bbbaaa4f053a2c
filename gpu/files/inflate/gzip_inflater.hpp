// Inflates gzip files on a GPU.
#pragma once

#include <cstddef>
#include <memory>

#include "reference/fits/read/whole_inflater.hpp"

namespace spex::gpu {

/// Inflates files of one gzip member on one GPU, two at a time there. Refuses files of more than
/// 500 MB, 2 GB inflated, 65,536 blocks, or 32 blocks with fixed codes. Host memory of a file is
/// page-locked, and kept for later files. Where memory of either is exhausted, the caller inflates
/// the file. Throws Error(device) if the GPU is lost.
class GzipInflater final : public WholeInflater {
 public:
  /// Files smaller than this are inflated faster by the host.
  static constexpr std::size_t usual_least = 1'000'000;

  /// At most `files_at_once` files are begun and not destroyed; further ones wait in begin(). Files
  /// of less than `least` bytes are left to the caller.
  GzipInflater(int device, int files_at_once, std::size_t least = usual_least);

  [[nodiscard]] std::unique_ptr<InflatedFile> begin(std::size_t size) override;

 private:
  class File;
  struct Shared;
  std::shared_ptr<Shared> shared_;  // lives as long as a file
  std::size_t least_;
};

}  // namespace spex::gpu
