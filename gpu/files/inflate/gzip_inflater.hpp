// Inflates gzip files on a GPU.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "reference/fits/read/whole_inflater.hpp"

namespace spex::gpu {

/// Inflates files of one gzip member on one GPU, two at a time. Refuses files of more than 500 MB,
/// 2 GB inflated, 65,536 blocks, or 32 blocks with fixed codes, and where the GPU's memory is
/// exhausted. Throws Error(device) if the GPU is lost.
class GzipInflater final : public WholeInflater {
 public:
  /// Pins the memory that begins at an address; false if it cannot. Other memory is transferred
  /// more slowly.
  using Pin = std::function<bool(const void*)>;
  /// Files smaller than this are inflated faster by the host.
  static constexpr std::size_t usual_least = 1'000'000;

  /// Files of less than `least` bytes are left to the caller. `pin` may be empty.
  explicit GzipInflater(int device, Pin pin = {}, std::size_t least = usual_least);
  ~GzipInflater() override;

  [[nodiscard]] bool takes(std::size_t size) override;
  [[nodiscard]] std::optional<std::size_t> inflate(std::span<char> memory,
                                                   std::size_t size) override;

 private:
  struct Workspaces;
  int device_;
  Pin pin_;
  std::size_t least_;
  std::unique_ptr<Workspaces> workspaces_;
};

}  // namespace spex::gpu
