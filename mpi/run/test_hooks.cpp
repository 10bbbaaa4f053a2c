#include "mpi/run/test_hooks.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "reference/core/error.hpp"

namespace spex::mpi {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::size_t first = 0;
  for (std::size_t colon = 0; colon != std::string::npos; first = colon + 1) {
    colon = text.find(':', first);
    words.push_back(text.substr(first, colon == std::string::npos ? colon : colon - first));
  }
  return words;
}

std::optional<int> whole_number(const std::string& text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

bool is_one_of(const std::string& text, std::initializer_list<const char*> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

}  // namespace

TestHooks TestHooks::from_environment(int rank) {
  TestHooks hooks;
  if (const char* text = std::getenv("SPEX_FAULT")) {
    const std::vector<std::string> words = split(text);
    const auto of_rank = words.size() == 3 ? whole_number(words[2]) : rank;
    if (words.size() < 2 || words.size() > 3 || !of_rank ||
        !is_one_of(words[0], {"read", "extract", "memory", "gather", "write"}))
      throw usage_error("SPEX_FAULT", std::string("'") + text + "'", "STAGE:CAMERA[:RANK]");
    if (*of_rank == rank) hooks.fault_ = Fault{words[0], words[1]};
  }
  if (const char* text = std::getenv("SPEX_DELAY")) {
    const std::vector<std::string> words = split(text);
    const auto milliseconds = words.size() == 3 ? whole_number(words[2]) : std::nullopt;
    if (!milliseconds || !is_one_of(words[0], {"read", "extract", "write"}))
      throw usage_error("SPEX_DELAY", std::string("'") + text + "'", "STAGE:CAMERA:MS");
    hooks.delay_ = Delay{words[0], words[1], *milliseconds};
  }
  return hooks;
}

void TestHooks::at(const std::string& stage, const std::string& camera) const {
  if (delay_ && delay_->stage == stage && (delay_->camera == camera || delay_->camera == "all"))
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_->milliseconds));
  if (!fault_ || fault_->camera != camera) return;
  if (fault_->stage == stage) throw std::runtime_error("fault injected by SPEX_FAULT");
  if (fault_->stage == "memory" && stage == "extract") throw std::bad_alloc();
}

}  // namespace spex::mpi
