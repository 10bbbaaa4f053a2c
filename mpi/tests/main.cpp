// The main function of tests under mpirun: every rank runs every test; rank 0 reports all results,
// other ranks only failures. A failure on any rank fails the program on all ranks.

#include <cstdio>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "mpi/comm/check.hpp"
#include "mpi/comm/environment.hpp"
#include "reference/core/blas.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/tests/support/tests_of_sources.hpp"

namespace {

class FailuresOfRank : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOfRank(int rank) : rank_(rank) {}

 private:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() == nullptr ? "" : result.file_name();
    fmt::print(stderr, "rank {}: {}:{}: {}\n", rank_, file, result.line_number(), result.message());
  }

  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!spex::test::keep_tests_of_sources(argc, argv)) return spex::status::usage;
  spex::use_single_threaded_blas();  // as in the programs; OpenBLAS threads of several ranks would
                                     // compete
  const spex::mpi::Environment environment(argc, argv);
  const spex::mpi::Communicator world = spex::mpi::Communicator::world();
  if (!world.is_root()) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOfRank(world.rank()));  // GoogleTest owns it
  }
  const int mine = RUN_ALL_TESTS();
  int worst = 1;
  SPEX_MPI_CHECK(MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, world.get()));
  return worst;
}
