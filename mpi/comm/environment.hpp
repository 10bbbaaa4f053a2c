// Owners of MPI itself and of a communicator.
#pragma once

#include <optional>

#include <mpi.h>

namespace spex::mpi {

/// MPI from construction to destruction, with errors returned rather than fatal. A program started
/// without mpirun or srun is a world of one rank.
class Environment {
 public:
  /// Starts MPI, which may take its own arguments off the command line.
  Environment(int& argc, char**& argv);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();
};

/// A communicator; it owns those that it made itself. Move-only.
class Communicator {
 public:
  /// The world, not owned.
  [[nodiscard]] static Communicator world();
  /// The ranks that share this rank's node.
  [[nodiscard]] Communicator node() const;
  /// The ranks that gave the same `part`, in this communicator's order; nothing on ranks that gave
  /// a negative one. Collective.
  [[nodiscard]] std::optional<Communicator> split(int part) const;

  /// Takes the handle over; `other` owns nothing afterwards.
  Communicator(Communicator&& other) noexcept;
  /// The same, after what this object owned is freed.
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }  ///< for MPI's own functions
  [[nodiscard]] int rank() const noexcept { return rank_; }      ///< of this process
  [[nodiscard]] int size() const noexcept { return size_; }      ///< number of ranks
  /// Rank 0 reads, speaks and writes.
  [[nodiscard]] bool is_root() const noexcept { return rank_ == 0; }

 private:
  Communicator(MPI_Comm comm, bool owned);

  MPI_Comm comm_ = MPI_COMM_NULL;
  bool owned_ = false;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace spex::mpi
