#include "mpi/programs/run_on_ranks.hpp"

#include <exception>

#include <fmt/format.h>
#include <mpi.h>

#include "mpi/comm/check.hpp"
#include "mpi/comm/collective.hpp"
#include "reference/cli/program.hpp"
#include "reference/core/error.hpp"
#include "reference/core/log_file.hpp"

namespace spex {

int run_on_ranks(const std::string& program, int argc, char** argv,
                 const std::function<int(int, char**, const mpi::Communicator&)>& body) {
  return run_guarded(program, [&] {
    const mpi::Environment environment(argc, argv);
    const mpi::Communicator world = mpi::Communicator::world();
    // Report the error before MPI is finalized: as soon as one rank exits with an error, mpirun
    // kills the others, possibly rank 0 before it has reported.
    return run_guarded(program, world.is_root(), [&] {
      try {
        return body(argc, argv, world);
      } catch (const mpi::CollectiveError&) {
        throw;
      } catch (const std::exception& error) {
        if (world.size() == 1) throw;
        const int status = exit_status(ErrorKind::internal);
        say_line(fmt::format("{}: rank {}: {}", program, world.rank(), error.what()));
        SPEX_MPI_CHECK(MPI_Abort(world.get(), status));
        return status;
      }
    });
  });
}

}  // namespace spex
