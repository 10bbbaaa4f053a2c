// Transfers between pageable memory and the GPU through small pieces of pinned memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "gpu/core/buffer.hpp"
#include "gpu/core/context.hpp"

namespace spex::gpu {

/// Two pinned pieces, of which one is filled or emptied while the other is transferred. The driver
/// copies pageable memory slowly, and pinning memory takes half a millisecond per MB, during which
/// no GPU gets work.
class PinnedPieces {
 public:
  /// Bytes of a piece.
  static constexpr std::size_t size = std::size_t{2} << 20;

  /// A piece, and the event of the GPU's last use.
  struct Piece {
    PinnedBuffer<std::byte> bytes;
    Event sent;
  };

  PinnedPieces() {
    for (Piece& one : pieces_) one.bytes = PinnedBuffer<std::byte>(size);
  }

  /// Piece 0 or 1, which the caller may enlarge.
  [[nodiscard]] Piece& operator[](std::size_t k) { return pieces_[k]; }

  /// Copies values to device memory on the stream. They need not live on.
  template <class T>
  void send(const std::vector<T>& values, T* to, cudaStream_t stream) {
    constexpr std::size_t most = size / sizeof(T);
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

  /// Appends `count` numbers from device memory to `to` after the work on the stream. Waits.
  template <class T>
  void append(const T* from, std::size_t count, std::vector<T>& to, cudaStream_t stream) {
    to.reserve(to.size() + count);
    constexpr std::size_t most = size / sizeof(T);
    const auto ask = [&](std::size_t first, Piece& one) {
      if (first >= count) return;
      SPEX_GPU_CHECK(cudaMemcpyAsync(one.bytes.get(), from + first,
                                     std::min(most, count - first) * sizeof(T),
                                     cudaMemcpyDeviceToHost, stream));
      one.sent.record(stream);
    };
    ask(0, pieces_[0]);
    std::size_t turn = 0;
    for (std::size_t first = 0; first < count; first += most, turn = 1 - turn) {
      // Transfer the next piece while this piece is emptied.
      ask(first + most, pieces_[1 - turn]);
      pieces_[turn].sent.wait();
      const T* const values = reinterpret_cast<const T*>(pieces_[turn].bytes.get());
      to.insert(to.end(), values, values + std::min(most, count - first));
    }
  }

 private:
  std::array<Piece, 2> pieces_;
};

}  // namespace spex::gpu
