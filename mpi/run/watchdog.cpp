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

constexpr int most_places = 16;  // phases of a rank at a time that are named
constexpr std::uint32_t nothing = 0;

// Phase and frame as one value that is never `nothing`.
std::uint32_t coded(Phase phase, int frame) {
  return (static_cast<std::uint32_t>(frame + 1) << 3) + static_cast<std::uint32_t>(phase) + 1;
}
Phase phase_of(std::uint32_t code) {
  return static_cast<Phase>((code & 7U) - 1);
}
int frame_of(std::uint32_t code) {
  return static_cast<int>(code >> 3) - 1;
}

// In a gathering a rank waits for others.
bool is_own_work(std::uint32_t code) {
  return code != nothing && phase_of(code) != Phase::gather;
}

}  // namespace

// What a rank shows to the others of its node. All zero at first.
struct Watchdog::Shared {
  std::atomic<std::uint32_t> rank;      // of the world
  std::atomic<std::uint32_t> beats;     // of the watchdog's thread
  std::atomic<std::uint32_t> advances;  // of the rank's work
  std::atomic<bool> watches;            // between construction and destruction of the watchdog
  std::array<std::atomic<std::uint32_t>, most_places> doing;
};

// What another rank showed when it was looked at last, and for how long it has shown that.
struct Watchdog::Seen {
  std::uint32_t beats = 0;
  std::uint32_t advances = 0;
  std::chrono::duration<double> since_beat{};
  std::chrono::duration<double> since_advance{};
};

// The ranks of a node, in memory that they share; where they cannot share any (in containers of
// their own), each has one of its own with itself alone. It has no name once all have it, so that
// nothing is left of it however they end.
class Watchdog::Board {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

 public:
  explicit Board(const Communicator& node) : index_(node.rank()), count_(node.size()) {
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
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  ~Board() { unmap(); }

  [[nodiscard]] std::span<Shared> ranks() const {
    return {static_cast<Shared*>(memory_), static_cast<std::size_t>(count_)};
  }
  [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(index_); }
  [[nodiscard]] Shared& mine() const { return ranks()[index()]; }

 private:
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(Shared) * static_cast<std::size_t>(count_);
  }
  // Zeros, which are what a Shared begins with; nullptr where there are none to be had.
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
  board_ = std::make_unique<Board>(node);
  board_->mine().rank = static_cast<std::uint32_t>(rank_);
  board_->mine().watches = true;
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Watchdog::~Watchdog() {
  if (!board_) return;
  board_->mine().watches = false;
  thread_.request_stop();
  thread_.join();
}

void Watchdog::advance() noexcept {
  if (board_) ++board_->mine().advances;
}

Watchdog::Scope::Scope(Watchdog& watchdog, Phase phase, int frame) : watchdog_(watchdog) {
  if (!watchdog.board_) return;
  watchdog.advance();
  auto& places = watchdog.board_->mine().doing;
  for (int i = 0; i < most_places && place_ < 0; ++i) {
    std::uint32_t free = nothing;
    if (places[static_cast<std::size_t>(i)].compare_exchange_strong(free, coded(phase, frame)))
      place_ = i;
  }
}

Watchdog::Scope::~Scope() {
  if (place_ >= 0) watchdog_.board_->mine().doing[static_cast<std::size_t>(place_)] = nothing;
  watchdog_.advance();
}

void Watchdog::watch(const std::stop_token& stop) {
  std::vector<Seen> seen(board_->ranks().size());
  bool gave_up = false;
  while (!stop.stop_requested()) {
    ++board_->mine().beats;
    if (const std::string what = halted(seen); !what.empty() && !std::exchange(gave_up, true))
      give_up_(what);
    // A tick counts as one, however long the process was stopped meanwhile.
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, tick_, [] { return false; });
    for (Seen& one : seen) {
      one.since_beat += tick_;
      one.since_advance += tick_;
    }
  }
}

// What has come to a halt, as far as it is this rank's to say; empty where nothing has.
std::string Watchdog::halted(std::vector<Seen>& seen) const {
  bool speaks = true;  // the first rank of the node that is alive
  std::string what;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Shared& rank = board_->ranks()[i];
    Seen& before = seen[i];
    const std::uint32_t beats = rank.beats;
    const std::uint32_t advances = rank.advances;
    if (std::exchange(before.beats, beats) != beats || !rank.watches)
      before.since_beat = before.since_beat.zero();
    if (std::exchange(before.advances, advances) != advances)
      before.since_advance = before.since_advance.zero();
    if (i == board_->index()) continue;
    if (before.since_beat < limit_) {
      speaks = speaks && (i > board_->index() || !rank.watches);
    } else if (what.empty()) {
      const std::string work = doing(rank);
      what = fmt::format("rank {} has not responded for {:g} s{}", rank.rank.load(), limit_.count(),
                         work.empty() ? "" : ", " + work);
    }
  }
  const Shared& mine = board_->mine();
  if (seen[board_->index()].since_advance >= limit_ && std::ranges::any_of(mine.doing, is_own_work))
    return fmt::format("rank {} has made no progress for {:g} s, {}", rank_, limit_.count(),
                       doing(mine));
  return speaks ? what : "";
}

std::string Watchdog::doing(const Shared& rank) const {
  std::string all;
  for (const std::atomic<std::uint32_t>& place : rank.doing) {
    const std::uint32_t code = place;
    if (code == nothing) continue;
    const int frame = frame_of(code);
    const std::string camera = frame < 0 ? "" : camera_of_(frame);
    all += fmt::format("{}{}{}", all.empty() ? "in " : ", ", to_string(phase_of(code)),
                       frame < 0 ? "" : " of frame " + camera);
  }
  return all;
}

}  // namespace spex::mpi
