#include "mpi/comm/broadcast.hpp"

#include <algorithm>
#include <concepts>
#include <vector>

namespace spex::mpi {

void broadcast_bytes(const Communicator& comm, void* data, std::size_t bytes, int root) {
  constexpr std::size_t most = 1U << 30;
  for (std::size_t first = 0; first < bytes; first += most) {
    const int count = static_cast<int>(std::min(most, bytes - first));
    SPEX_MPI_CHECK(
        MPI_Bcast(static_cast<std::byte*>(data) + first, count, MPI_BYTE, root, comm.get()));
  }
}

void broadcast(const Communicator& comm, Reals& reals, int root) {
  bool single = reals.single_values() != nullptr;
  broadcast(comm, single, root);
  if (comm.rank() != root) reals = single ? Reals(std::vector<float>()) : Reals();
  reals.visit([&](auto& values) { broadcast(comm, values, root); });
}

void broadcast_description(const Communicator& comm, FrameInputs& inputs, int root) {
  for_each_field(inputs, [&](auto& field) {
    if constexpr (std::same_as<decltype(field), Pixels&>) {
      broadcast(comm, field.nx, root);
      broadcast(comm, field.ny, root);
    } else {
      broadcast(comm, field, root);
    }
  });
}

}  // namespace spex::mpi
