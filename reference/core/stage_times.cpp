#include "reference/core/stage_times.hpp"

namespace spex {

const char* to_string(Stage stage) {
  switch (stage) {
    case Stage::read:
      return "read";
    case Stage::convert:
      return "convert";
    case Stage::transfer_in:
      return "transfer-in";
    case Stage::spots:
      return "spots";
    case Stage::assemble:
      return "assemble";
    case Stage::solve:
      return "solve";
    case Stage::decorrelate:
      return "decorrelate";
    case Stage::quality:
      return "quality";
    case Stage::transfer_out:
      return "transfer-out";
    case Stage::gather:
      return "gather";
    case Stage::write:
      return "write";
  }
  return "unknown";
}

void StageTimes::add(const StageTimes& other) {
  for (std::size_t i = 0; i < stage_count; ++i) seconds_[i] += other.seconds_[i];
}

}  // namespace spex
