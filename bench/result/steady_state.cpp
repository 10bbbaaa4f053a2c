#include "bench/result/steady_state.hpp"

#include <algorithm>
#include <cstddef>

namespace spex::bench {
namespace {

constexpr int max_blocks = 20, min_blocks = 4;
constexpr double seconds_per_hour = 3600;

// The block of frames first + 1 ... last, from sorted times; frames count from 1.
FrameBlock block_of(const std::vector<double>& times, int first, int last) {
  return {last - first, times[first - 1] - times.front(), times[last - 1] - times[first - 1]};
}

}  // namespace

std::optional<LongPart> steady_part(std::vector<double> written) {
  std::sort(written.begin(), written.end());
  const auto frames = static_cast<int>(written.size());
  const int edge = std::min(max_edge_frames, std::max(1, frames / 10));
  if (frames < 2 * edge + 2) return std::nullopt;
  LongPart part{edge, frames - edge, 0, {}};
  part.seconds = written[part.last - 1] - written[part.first - 1];
  if (!(part.seconds > 0)) return std::nullopt;
  const int inner = part.last - part.first;
  const int count = std::min(max_blocks, std::max(1, inner / 2));
  const auto end_of = [&](long block) {
    return static_cast<int>(part.first + block * inner / count);
  };
  for (int k = 0; k < count; ++k)
    part.blocks.push_back(block_of(written, end_of(k), end_of(k + 1)));
  return part;
}

std::optional<Statistic> drift_per_hour(const LongPart& part) {
  const std::vector<FrameBlock>& blocks = part.blocks;
  const bool apart = std::all_of(blocks.begin(), blocks.end(),
                                 [](const FrameBlock& block) { return block.seconds > 0; });
  if (blocks.size() < min_blocks || !apart) return std::nullopt;
  const std::size_t half = blocks.size() / 2;
  const auto middle = [](const FrameBlock& block) { return block.begin_s + block.seconds / 2; };
  std::vector<double> slopes;
  for (std::size_t i = 0; i < half; ++i) {
    const FrameBlock& early = blocks[i];
    const FrameBlock& late = blocks[i + blocks.size() - half];
    slopes.push_back((late.rate() - early.rate()) / (middle(late) - middle(early)) / part.rate() *
                     seconds_per_hour);
  }
  return summarize(slopes);
}

}  // namespace spex::bench
