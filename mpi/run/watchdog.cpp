#include "mpi/run/watchdog.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <span>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"

namespace spex::mpi {
namespace {

constexpr int max_slots = 16;  // simultaneous phases of a rank that are named
constexpr std::uint32_t no_work = 0;

// Encodes phase and frame as a value other than `no_work`.
std::uint32_t coded(Phase phase, int frame) {
  return (static_cast<std::uint32_t>(frame + 1) << 3) + static_cast<std::uint32_t>(phase) + 1;
}
Phase phase_of(std::uint32_t code) {
  return static_cast<Phase>((code & 7U) - 1);
}
int frame_of(std::uint32_t code) {
  return static_cast<int>(code >> 3) - 1;
}

// While gathering, a rank waits for other ranks.
bool is_own_work(std::uint32_t code) {
  return code != no_work && phase_of(code) != Phase::gather;
}

}  // namespace

// State of a rank that the other ranks of its node see; initially zero.
struct Watchdog::RankState {
  std::atomic<std::uint32_t> rank;      // rank in the world
  std::atomic<std::uint32_t> beats;     // number of ticks of the watchdog's thread
  std::atomic<std::uint32_t> advances;  // number of advances of the rank's work
  std::atomic<bool> watches;            // true while the rank's watchdog exists
  std::array<std::atomic<std::uint32_t>, max_slots> work;
};

// Last observed state of another rank, and for how long it has not changed.
struct Watchdog::Observation {
  std::uint32_t beats = 0;
  std::uint32_t advances = 0;
  std::chrono::duration<double> since_beat{};
  std::chrono::duration<double> since_advance{};
};

// Shared memory of the node's ranks. If it cannot be shared (containers), each rank has private
// memory for itself. It is unlinked once mapped, so nothing remains after a crash.
class Watchdog::NodeMemory {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

 public:
  explicit NodeMemory(const Communicator& node) : index_(node.rank()), count_(node.size()) {
    std::string name;
    if (node.is_root())
      name = fmt::format("/spex-watchdog-{}-{:08x}", getpid(), std::random_device()());
    broadcast(node, name);
    int file = -1;
    if (node.is_root()) {
      file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
      if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes())) != 0)
        close(std::exchange(file, -1));
    }
    const bool made = all_ranks(node, !node.is_root() || file >= 0);
    if (made && !node.is_root()) file = shm_open(name.c_str(), O_RDWR, 0600);
    if (file >= 0) memory_ = map(file);
    const bool shared = all_ranks(node, memory_ != nullptr);
    if (node.is_root()) shm_unlink(name.c_str());
    if (file >= 0) close(file);
    if (shared) return;
    unmap();
    index_ = 0;
    count_ = 1;
    memory_ = map(-1);
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  ~NodeMemory() { unmap(); }

  [[nodiscard]] std::span<RankState> ranks() const {
    return {static_cast<RankState*>(memory_), static_cast<std::size_t>(count_)};
  }
  [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(index_); }
  [[nodiscard]] RankState& mine() const { return ranks()[index()]; }

 private:
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(RankState) * static_cast<std::size_t>(count_);
  }
  // Zeroed memory, the initial RankStates; nullptr on failure.
  [[nodiscard]] void* map(int file) const {
    const int flags = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void* const memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, flags, file, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }
  void unmap() {
    if (memory_ != nullptr) munmap(memory_, bytes());
    memory_ = nullptr;
  }

  int index_;
  int count_;
  void* memory_ = nullptr;
};

Watchdog::Watchdog(const Communicator& world, std::chrono::duration<double> limit, NameOf camera_of,
                   GiveUp give_up)
    : rank_(world.rank()),
      limit_(limit),
      tick_(std::min(limit / 8, std::chrono::duration<double>(1))),
      camera_of_(std::move(camera_of)),
      give_up_(std::move(give_up)) {
  if (limit <= limit.zero()) return;
  const Communicator node = world.node();
  node_ = std::make_unique<NodeMemory>(node);
  node_->mine().rank = static_cast<std::uint32_t>(rank_);
  node_->mine().watches = true;
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Watchdog::~Watchdog() {
  if (!node_) return;
  node_->mine().watches = false;
  thread_.request_stop();
  thread_.join();
}

void Watchdog::advance() noexcept {
  if (node_) ++node_->mine().advances;
}

Watchdog::Scope::Scope(Watchdog& watchdog, Phase phase, int frame) : watchdog_(watchdog) {
  if (!watchdog.node_) return;
  watchdog.advance();
  auto& slots = watchdog.node_->mine().work;
  for (int i = 0; i < max_slots && slot_ < 0; ++i) {
    std::uint32_t free = no_work;
    if (slots[static_cast<std::size_t>(i)].compare_exchange_strong(free, coded(phase, frame)))
      slot_ = i;
  }
}

Watchdog::Scope::~Scope() {
  if (slot_ >= 0) watchdog_.node_->mine().work[static_cast<std::size_t>(slot_)] = no_work;
  watchdog_.advance();
}

void Watchdog::watch(const std::stop_token& stop) {
  std::vector<Observation> observations(node_->ranks().size());
  bool gave_up = false;
  while (!stop.stop_requested()) {
    ++node_->mine().beats;
    if (const std::string stall = find_stall(observations);
        !stall.empty() && !std::exchange(gave_up, true))
      give_up_(stall);
    // A tick counts once, however long the process was stopped.
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, tick_, [] { return false; });
    for (Observation& observation : observations) {
      observation.since_beat += tick_;
      observation.since_advance += tick_;
    }
  }
}

// Describes a stall if this rank must report it; else "".
std::string Watchdog::find_stall(std::vector<Observation>& observations) const {
  bool must_report = true;  // whether this is the node's first rank that is alive
  std::string what;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const RankState& rank = node_->ranks()[i];
    Observation& before = observations[i];
    const std::uint32_t beats = rank.beats;
    const std::uint32_t advances = rank.advances;
    if (std::exchange(before.beats, beats) != beats || !rank.watches)
      before.since_beat = before.since_beat.zero();
    if (std::exchange(before.advances, advances) != advances)
      before.since_advance = before.since_advance.zero();
    if (i == node_->index()) continue;
    if (before.since_beat < limit_) {
      must_report = must_report && (i > node_->index() || !rank.watches);
    } else if (what.empty()) {
      const std::string work = describe_work(rank);
      what = fmt::format("rank {} has not responded for {:g} s{}", rank.rank.load(), limit_.count(),
                         work.empty() ? "" : ", " + work);
    }
  }
  const RankState& mine = node_->mine();
  if (observations[node_->index()].since_advance >= limit_ &&
      std::ranges::any_of(mine.work, is_own_work))
    return fmt::format("rank {} has made no progress for {:g} s, {}", rank_, limit_.count(),
                       describe_work(mine));
  return must_report ? what : "";
}

std::string Watchdog::describe_work(const RankState& rank) const {
  std::string all;
  for (const std::atomic<std::uint32_t>& slot : rank.work) {
    const std::uint32_t code = slot;
    if (code == no_work) continue;
    const int frame = frame_of(code);
    const std::string camera = frame < 0 ? "" : camera_of_(frame);
    all += fmt::format("{}{}{}", all.empty() ? "in " : ", ", to_string(phase_of(code)),
                       frame < 0 ? "" : " of frame " + camera);
  }
  return all;
}

}  // namespace spex::mpi
