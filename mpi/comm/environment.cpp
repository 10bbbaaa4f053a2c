#include "mpi/comm/environment.hpp"

#include <cstdlib>
#include <utility>

#include "mpi/comm/check.hpp"
#include "reference/core/error.hpp"

namespace spex::mpi {

namespace {

constexpr int keep_what_is_set = 0;

// Disables hwloc's GPU plugins: to inspect the machine, they would initialize every GPU (1.2 s with
// four).
void spare_gpus() {
  setenv("HWLOC_COMPONENTS", "-cuda,-nvml,-opencl,-gl", keep_what_is_set);
}

// Without a launcher Open MPI starts a daemon and probes networks (0.3 s); a single process needs
// neither. Without the daemon, all such processes of a user would share a session folder, which the
// first process to exit removes while others start; the folder is disabled, too.
void prepare_for_one_process() {
  for (const char* launched :
       {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "PALS_RANKID", "MPI_LOCALRANKID"})
    if (std::getenv(launched) != nullptr) return;
  setenv("OMPI_MCA_ess_singleton_isolated", "1", keep_what_is_set);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", keep_what_is_set);
  setenv("OMPI_MCA_pml", "ob1", keep_what_is_set);
}

}  // namespace

Environment::Environment(int& argc, char**& argv) {
  spare_gpus();
  prepare_for_one_process();
  int provided = 0;
  // Threads compute; only the main thread calls MPI.
  SPEX_MPI_CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
  if (provided < MPI_THREAD_FUNNELED)
    throw Error(ErrorKind::internal, "MPI", "does not support threads", "MPI_THREAD_FUNNELED");
  SPEX_MPI_CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  SPEX_MPI_CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
}

Environment::~Environment() {
  SPEX_MPI_LOG(MPI_Finalize());
}

Communicator::Communicator(MPI_Comm comm, bool owned) : comm_(comm), owned_(owned) {
  SPEX_MPI_CHECK(MPI_Comm_rank(comm_, &rank_));
  SPEX_MPI_CHECK(MPI_Comm_size(comm_, &size_));
}

Communicator Communicator::world() {
  return {MPI_COMM_WORLD, false};
}

Communicator Communicator::node() const {
  MPI_Comm comm = MPI_COMM_NULL;
  SPEX_MPI_CHECK(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &comm));
  return {comm, true};
}

std::optional<Communicator> Communicator::split(int part) const {
  MPI_Comm comm = MPI_COMM_NULL;
  SPEX_MPI_CHECK(MPI_Comm_split(comm_, part < 0 ? MPI_UNDEFINED : part, rank_, &comm));
  if (comm == MPI_COMM_NULL) return std::nullopt;
  return Communicator(comm, true);
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
      owned_(std::exchange(other.owned_, false)),
      rank_(other.rank_),
      size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(owned_, other.owned_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

Communicator::~Communicator() {
  if (owned_) SPEX_MPI_LOG(MPI_Comm_free(&comm_));
}

}  // namespace spex::mpi
