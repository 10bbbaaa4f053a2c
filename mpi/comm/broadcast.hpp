// Broadcasts of the data model from one rank to all others of a communicator.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include "mpi/comm/check.hpp"
#include "mpi/comm/environment.hpp"
#include "reference/frame/frame_steps.hpp"
#include "reference/model/preproc.hpp"
#include "reference/model/psf.hpp"

namespace spex::mpi {

/// `bytes` bytes at `data`, in pieces that MPI's int counts can hold.
void broadcast_bytes(const Communicator& comm, void* data, std::size_t bytes, int root);

/// A plain value of `root`, which all ranks have afterwards.
template <class T>
requires std::is_trivially_copyable_v<T>
void broadcast(const Communicator& comm, T& value, int root = 0) {
  broadcast_bytes(comm, &value, sizeof(T), root);
}

/// A vector or string of plain values; others than `root` get its size too.
template <class Container>
requires std::is_trivially_copyable_v<typename Container::value_type>
void broadcast(const Communicator& comm, Container& values, int root = 0) {
  auto size = values.size();
  broadcast(comm, size, root);
  values.resize(size);
  broadcast_bytes(comm, values.data(), size * sizeof(typename Container::value_type), root);
}

/// The arrays and numbers of a PSF.
void broadcast(const Communicator& comm, Psf& psf, int root = 0);
/// The values and weights of a frame's pixels.
void broadcast(const Communicator& comm, Pixels& pixels, int root = 0);
/// All that an extraction of the frame needs.
void broadcast(const Communicator& comm, FrameInputs& inputs, int root = 0);
/// The same without the pixels' values: what it takes to write the output.
void broadcast_description(const Communicator& comm, FrameInputs& inputs, int root);

}  // namespace spex::mpi
