#include "mpi/comm/gather.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "mpi/comm/check.hpp"
#include "reference/model/message.hpp"

namespace spex::mpi {
namespace {

constexpr int result_tag = 1;

// A patch's result and its frame number, as a message.
struct Sent {
  int frame = 0;
  PatchResult result;

  SPEX_MEMBERS(frame, result)
};

PatchResult receive_result(const Communicator& comm, int rank, int frame) {
  MPI_Status status;
  SPEX_MPI_CHECK(MPI_Probe(rank, result_tag, comm.get(), &status));
  int count = 0;
  SPEX_MPI_CHECK(MPI_Get_count(&status, MPI_BYTE, &count));
  std::string message(static_cast<std::size_t>(count), '\0');
  SPEX_MPI_CHECK(
      MPI_Recv(message.data(), count, MPI_BYTE, rank, result_tag, comm.get(), MPI_STATUS_IGNORE));
  auto sent = message::unpack<Sent>(message);
  if (sent.frame != frame) throw std::logic_error("received a patch result of another frame");
  return std::move(sent.result);
}

}  // namespace

std::vector<PatchResult> gather_results(const Communicator& comm, const std::vector<int>& rank_of,
                                        std::vector<PatchResult>&& mine, int frame) {
  if (!comm.is_root()) {
    for (PatchResult& result : mine) {
      const std::string message = message::pack(Sent{frame, std::move(result)});
      SPEX_MPI_CHECK(MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, 0,
                              result_tag, comm.get()));
    }
    return {};
  }
  // Ranks send results in patch order, so that receiving in patch order matches.
  std::vector<PatchResult> all;
  all.reserve(rank_of.size());
  auto own = mine.begin();
  for (const int rank : rank_of)
    all.push_back(rank == comm.rank() ? std::move(*own++) : receive_result(comm, rank, frame));
  return all;
}

StageTimes gather_times(const Communicator& comm, const StageTimes& mine) {
  StageTimes total = mine;
  SPEX_MPI_CHECK(MPI_Reduce(mine.seconds().data(), total.seconds().data(),
                            static_cast<int>(stage_count), MPI_DOUBLE, MPI_SUM, 0, comm.get()));
  return total;
}

}  // namespace spex::mpi
