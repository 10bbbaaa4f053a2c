// Transfers between the host's memory and the GPU.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "gpu/core/buffer.hpp"
#include "gpu/core/context.hpp"

namespace spex::gpu {

/// Copies from and to memory that can be pinned directly. Other memory goes through two pinned
/// pieces, of which one is filled or emptied while the other is transferred: the driver copies
/// pageable memory slowly.
class HostTransfers {
 public:
  /// Bytes of a piece.
  static constexpr std::size_t piece = std::size_t{2} << 20;

  /// A piece, and the event of the GPU's last use.
  struct Piece {
    PinnedBuffer<std::byte> bytes;
    Event sent;
  };

  /// `pin` pins the memory that begins at an address, and returns false if it cannot
  /// (ExtractorSettings::pin). It may be empty.
  explicit HostTransfers(std::function<bool(const void*)> pin) : pin_(std::move(pin)) {
    for (Piece& one : pieces_) one.bytes = PinnedBuffer<std::byte>(piece);
  }

  /// Piece 0 or 1, which the caller may enlarge.
  [[nodiscard]] Piece& operator[](std::size_t k) { return pieces_[k]; }

  /// Copies values to device memory on the stream. They need not live on.
  template <class T>
  void send(const std::vector<T>& values, T* to, cudaStream_t stream) {
    constexpr std::size_t most = piece / sizeof(T);
    std::size_t turn = 0;
    for (std::size_t first = 0; first < values.size(); first += most, turn = 1 - turn) {
      const std::size_t bytes = std::min(most, values.size() - first) * sizeof(T);
      Piece& one = pieces_[turn];
      one.sent.wait();
      std::memcpy(one.bytes.get(), values.data() + first, bytes);
      SPEX_GPU_CHECK(
          cudaMemcpyAsync(to + first, one.bytes.get(), bytes, cudaMemcpyHostToDevice, stream));
      one.sent.record(stream);
    }
  }

  /// The same for a large array, which must not change before wait().
  template <class T>
  void send_large(const std::vector<T>& values, T* to, cudaStream_t stream) {
    if (!is_pinned(values.data())) {
      send(values, to, stream);
      return;
    }
    SPEX_GPU_CHECK(cudaMemcpyAsync(to, values.data(), values.size() * sizeof(T),
                                   cudaMemcpyHostToDevice, stream));
    direct_.record(stream);
  }

  /// Waits for the arrays of send_large().
  void wait() const { direct_.wait(); }

  /// Copies numbers from device memory to all of `to` after the work on the stream. Waits.
  template <class T>
  void fetch(const T* from, std::span<T> to, cudaStream_t stream) {
    if (!to.empty() && is_pinned(to.data())) {
      SPEX_GPU_CHECK(
          cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream));
      direct_.record(stream);
      wait();
      return;
    }
    constexpr std::size_t most = piece / sizeof(T);
    const auto ask = [&](std::size_t first, Piece& one) {
      if (first >= to.size()) return;
      SPEX_GPU_CHECK(cudaMemcpyAsync(one.bytes.get(), from + first,
                                     std::min(most, to.size() - first) * sizeof(T),
                                     cudaMemcpyDeviceToHost, stream));
      one.sent.record(stream);
    };
    ask(0, pieces_[0]);
    std::size_t turn = 0;
    for (std::size_t first = 0; first < to.size(); first += most, turn = 1 - turn) {
      // Transfer the next piece while this piece is emptied.
      ask(first + most, pieces_[1 - turn]);
      pieces_[turn].sent.wait();
      std::memcpy(to.data() + first, pieces_[turn].bytes.get(),
                  std::min(most, to.size() - first) * sizeof(T));
    }
  }

 private:
  [[nodiscard]] bool is_pinned(const void* memory) const { return pin_ && pin_(memory); }

  std::function<bool(const void*)> pin_;
  std::array<Piece, 2> pieces_;
  Event direct_;
};

}  // namespace spex::gpu
