#include "mpi/event_log.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "mpi/check.hpp"
#include "reference/io/atomic_write.hpp"

namespace spex::mpi {

static_assert(std::is_trivially_copyable_v<Event>);

const char* to_string(Phase phase) {
  switch (phase) {
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
  SPEX_MPI_CHECK(MPI_Barrier(world.get()));
  origin_ = std::chrono::steady_clock::now();
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
  std::vector<int> sizes(static_cast<std::size_t>(world.size()));
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

void write_events(const std::string& path, const std::vector<Event>& events,
                  const std::vector<std::string>& cameras) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Event& event : events) {
    nlohmann::ordered_json entry;
    entry["rank"] = event.rank;
    entry["frame"] = event.frame;
    entry["camera"] = cameras.at(static_cast<std::size_t>(event.frame));
    if (event.bundle < 0)
      entry["bundle"] = nullptr;
    else
      entry["bundle"] = event.bundle;
    entry["stage"] = to_string(event.phase);
    entry["start"] = event.start;
    entry["end"] = event.end;
    list.push_back(std::move(entry));
  }
  nlohmann::ordered_json root;
  root["events"] = std::move(list);
  const std::string text = root.dump(1) + "\n";
  atomic_write(path, {text.begin(), text.end()});
}

}  // namespace spex::mpi
