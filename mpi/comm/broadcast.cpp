#include "mpi/comm/broadcast.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace spex::mpi {
namespace {

void broadcast_trace(const Communicator& comm, Trace& trace, int root) {
  broadcast(comm, trace.wavemin, root);
  broadcast(comm, trace.wavemax, root);
  broadcast(comm, trace.ncoeff, root);
  broadcast(comm, trace.coeff, root);
}

void broadcast_reals(const Communicator& comm, Reals& reals, int root) {
  bool single = reals.single_values() != nullptr;
  broadcast(comm, single, root);
  if (comm.rank() != root) reals = single ? Reals(std::vector<float>()) : Reals();
  reals.visit([&](auto& values) { broadcast(comm, values, root); });
}

}  // namespace

void broadcast_bytes(const Communicator& comm, void* data, std::size_t bytes, int root) {
  constexpr std::size_t most = 1U << 30;
  for (std::size_t first = 0; first < bytes; first += most) {
    const int count = static_cast<int>(std::min(most, bytes - first));
    SPEX_MPI_CHECK(
        MPI_Bcast(static_cast<std::byte*>(data) + first, count, MPI_BYTE, root, comm.get()));
  }
}

void broadcast(const Communicator& comm, Psf& psf, int root) {
  for (int* value : {&psf.nfiber, &psf.hsizex, &psf.hsizey, &psf.ghdegx, &psf.ghdegy, &psf.npix_x,
                     &psf.npix_y, &psf.fibermin, &psf.ncoeff})
    broadcast(comm, *value, root);
  for (double* value : {&psf.psferr, &psf.wavemin, &psf.wavemax}) broadcast(comm, *value, root);
  broadcast(comm, psf.in_psf, root);
  broadcast_trace(comm, psf.xtrace, root);
  broadcast_trace(comm, psf.ytrace, root);
  broadcast(comm, psf.param, root);
}

void broadcast(const Communicator& comm, Pixels& pixels, int root) {
  broadcast(comm, pixels.nx, root);
  broadcast(comm, pixels.ny, root);
  broadcast_reals(comm, pixels.value, root);
  broadcast_reals(comm, pixels.weight, root);
}

void broadcast_description(const Communicator& comm, FrameInputs& inputs, int root) {
  broadcast(comm, inputs.psf, root);
  broadcast(comm, inputs.grid, root);
  broadcast(comm, inputs.pixels.nx, root);
  broadcast(comm, inputs.pixels.ny, root);
  broadcast(comm, inputs.preproc.camera, root);
  std::size_t ncards = inputs.preproc.cards.size();
  broadcast(comm, ncards, root);
  inputs.preproc.cards.resize(ncards);
  for (std::string& card : inputs.preproc.cards) broadcast(comm, card, root);
  broadcast(comm, inputs.preproc.fibermap.fits, root);
  broadcast(comm, inputs.preproc.fibermap.fiber, root);
}

void broadcast(const Communicator& comm, FrameInputs& inputs, int root) {
  broadcast_description(comm, inputs, root);
  broadcast(comm, inputs.pixels, root);
}

}  // namespace spex::mpi
