#include "bench/measure/steady_state.hpp"

#include <algorithm>
#include <cstddef>

namespace spex::bench {
namespace {

constexpr int most_blocks = 20, least_blocks = 4;
constexpr double seconds_an_hour = 3600;
constexpr int least_in_pass = 30;

// Frames first + 1 ... last of sorted times; frames count from 1.
FrameBlock block_of(const std::vector<double>& times, int first, int last) {
  return {last - first, times[first - 1] - times.front(), times[last - 1] - times[first - 1]};
}

std::optional<Statistic> drift_of(const std::vector<FrameBlock>& blocks, double rate) {
  if (blocks.size() < least_blocks) return std::nullopt;
  const std::size_t half = blocks.size() / 2;
  const auto middle = [](const FrameBlock& block) { return block.begin_s + block.seconds / 2; };
  std::vector<double> slopes;
  for (std::size_t i = 0; i < half; ++i) {
    const FrameBlock& early = blocks[i];
    const FrameBlock& late = blocks[i + blocks.size() - half];
    slopes.push_back((late.rate() - early.rate()) / (middle(late) - middle(early)) / rate *
                     seconds_an_hour);
  }
  return summarize(slopes);
}

}  // namespace

int steady_edge(int frames) {
  return std::min(most_of_edge, std::max(1, frames / 10));
}

std::optional<SteadyState> steady_state(std::vector<double> written) {
  std::sort(written.begin(), written.end());
  const auto frames = static_cast<int>(written.size());
  const int edge = steady_edge(frames);
  if (frames < 2 * edge + 2) return std::nullopt;
  SteadyState steady;
  steady.first = edge;
  steady.last = frames - edge;
  steady.all = block_of(written, steady.first, steady.last);
  if (!(steady.all.seconds > 0)) return std::nullopt;
  const int count = std::min(most_blocks, std::max(1, steady.all.frames / 2));
  const auto end_of = [&](long block) {
    return static_cast<int>(steady.first + block * steady.all.frames / count);
  };
  for (int k = 0; k < count; ++k)
    steady.blocks.push_back(block_of(written, end_of(k), end_of(k + 1)));
  const bool apart = std::all_of(steady.blocks.begin(), steady.blocks.end(),
                                 [](const FrameBlock& block) { return block.seconds > 0; });
  if (apart) steady.drift_per_hour = drift_of(steady.blocks, steady.all.rate());
  return steady;
}

std::optional<FirstPass> first_pass(std::vector<double> written, double began, int distinct) {
  std::sort(written.begin(), written.end());
  const auto frames = static_cast<int>(written.size());
  const int last = frames - steady_edge(frames);
  if (distinct < least_in_pass || last - distinct < least_in_pass) return std::nullopt;
  const FirstPass pass{{distinct, 0, written[distinct - 1] - began},
                       block_of(written, distinct, last)};
  if (!(pass.first.seconds > 0 && pass.later.seconds > 0)) return std::nullopt;
  return pass;
}

double gain_of_steady_part(const SteadyState& steady, const std::vector<double>& written,
                           double began) {
  const double last = *std::max_element(written.begin(), written.end());
  return steady.all.rate() * (last - began) / static_cast<double>(written.size());
}

}  // namespace spex::bench
