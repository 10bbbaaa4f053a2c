#include "mpi/run/event_log.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/check.hpp"

namespace spex::mpi {

static_assert(std::is_trivially_copyable_v<Event>);

const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::start:
      return "start";
    case Phase::read:
      return "read";
    case Phase::extract:
      return "extract";
    case Phase::gather:
      return "gather";
    case Phase::write:
      return "write";
  }
  return "?";
}

EventLog::EventLog(const Communicator& world) : rank_(world.rank()) {
  const Communicator node = world.node();  // created before the clock starts
  SPEX_MPI_CHECK(MPI_Barrier(world.get()));
  origin_ = std::chrono::steady_clock::now();
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  origin_unix_ = std::chrono::duration<double>(since_1970).count();
  // On a busy node ranks leave a barrier milliseconds apart; the steady clock is common to the
  // node.
  broadcast(node, origin_);
  broadcast(node, origin_unix_);
}

double EventLog::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - origin_).count();
}

void EventLog::add(int frame, int bundle, Phase phase, double start) {
  const double end = now();
  const std::lock_guard lock(mutex_);
  events_.push_back({rank_, frame, bundle, phase, start, end});
}

std::vector<Event> EventLog::gather(const Communicator& world) const {
  const int bytes = static_cast<int>(events_.size() * sizeof(Event));
  std::vector<int> sizes(world.size());
  SPEX_MPI_CHECK(MPI_Gather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, world.get()));
  std::vector<int> starts;
  int total = 0;
  for (const int size : sizes) {
    starts.push_back(total);
    total += size;
  }
  std::vector<Event> all(world.is_root() ? static_cast<std::size_t>(total) / sizeof(Event) : 0);
  SPEX_MPI_CHECK(MPI_Gatherv(events_.data(), bytes, MPI_BYTE, all.data(), sizes.data(),
                             starts.data(), MPI_BYTE, 0, world.get()));
  std::stable_sort(all.begin(), all.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.rank, a.start) < std::tuple(b.rank, b.start);
  });
  return all;
}

}  // namespace spex::mpi
