// RAII owners of MPI and of communicators.
#pragma once

#include <optional>

#include <mpi.h>

namespace spex::mpi {

/// Initializes and finalizes MPI. A program started without mpirun or srun is a world of one rank.
class Environment {
 public:
  /// Initializes MPI, which may remove its own arguments from the command line.
  Environment(int& argc, char**& argv);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();
};

/// A communicator, which is freed unless it is the world. Move-only.
class Communicator {
 public:
  /// The world, not owned.
  [[nodiscard]] static Communicator world();
  /// The communicator of the ranks on this node.
  [[nodiscard]] Communicator node() const;
  /// The ranks with the same `part`, in this communicator's order; nothing on ranks with a negative
  /// `part`. Collective.
  [[nodiscard]] std::optional<Communicator> split(int part) const;

  /// Takes ownership of `other`'s handle.
  Communicator(Communicator&& other) noexcept;
  /// The same, after freeing the current handle.
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }  ///< handle for MPI functions
  [[nodiscard]] int rank() const noexcept { return rank_; }      ///< rank of this process
  [[nodiscard]] int size() const noexcept { return size_; }      ///< number of ranks
  /// Whether this is rank 0, which reads, logs and writes.
  [[nodiscard]] bool is_root() const noexcept { return rank_ == 0; }

 private:
  Communicator(MPI_Comm comm, bool owned);

  MPI_Comm comm_ = MPI_COMM_NULL;
  bool owned_ = false;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace spex::mpi
