#include "bench/correctness/golden_turn.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include "bench/measure/signals.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// As long as one golden case may take.
constexpr std::chrono::minutes longest_wait{30};
constexpr std::chrono::milliseconds ask_every{50};

}  // namespace

GoldenTurn::GoldenTurn(const std::string& cases) {
  const std::string folder = fs::absolute(cases).parent_path();
  folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) return;  // what is not there is said by who reads it
  const Clock::time_point end = Clock::now() + longest_wait;
  for (bool said = false; flock(folder_, LOCK_EX | LOCK_NB) != 0; said = true) {
    if (errno != EWOULDBLOCK || Clock::now() > end || Signals::interrupted()) return;
    if (!said) spdlog::info("{}: another run is at a golden case; waiting for it", folder);
    std::this_thread::sleep_for(ask_every);
  }
}

GoldenTurn::~GoldenTurn() {
  if (folder_ >= 0) close(folder_);
}

}  // namespace spex::bench
