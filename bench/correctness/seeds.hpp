// The seeds that exposures are simulated with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace spex::bench {

/// Where they come from. Those of a plan are known to everybody, who can make the answers ahead;
/// those that are drawn are known to nobody before their inputs are opened.
enum class SeedSource { plan, drawn };

/// "plan" or "drawn".
[[nodiscard]] std::string to_string(SeedSource source);

/// The least seed that is drawn: above all those of plans.
inline constexpr std::int64_t least_drawn_seed = std::int64_t{1} << 32;
/// The largest: JSON's numbers hold it.
inline constexpr std::int64_t most_drawn_seed = (std::int64_t{1} << 53) - 1;

/// Which seed spex-sim is given for the exposure that a plan calls by a number.
class Seeds {
 public:
  explicit Seeds(SeedSource source) : source_(source) {}

  [[nodiscard]] SeedSource source() const { return source_; }
  /// The plan's number itself, or a number for it, drawn when it is first asked for: each by
  /// itself, so that none says anything of another.
  [[nodiscard]] std::int64_t of(const std::string& case_name, int planned);

 private:
  SeedSource source_;
  std::map<std::pair<std::string, int>, std::int64_t> drawn_;
};

}  // namespace spex::bench
