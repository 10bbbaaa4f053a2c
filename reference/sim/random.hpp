// Random numbers by streams. The standard library defines its engines to the bit, but not its
// distributions, so those are here: uniform and whole numbers are the same on every machine, the
// others to the last bits of libm's log, sin, cos and exp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string_view>

namespace spex {

/// What a stream of random numbers is for: streams of different purpose, key or seed are
/// independent, so that the result does not depend on the order or thread in which they are drawn.
enum class Stream : std::uint32_t {
  psf = 1,
  throughput,
  target,
  noise,
  cosmics,
  defects,
  positioner,
  shift,
};

/// A stream of random numbers.
class Random {
 public:
  /// `keys` tell apart the streams of one purpose: the seed, a camera, a row ...
  Random(Stream stream, std::initializer_list<std::uint64_t> keys);

  /// [0, 1), in steps of 2^-53.
  [[nodiscard]] double uniform();
  /// [low, high).
  [[nodiscard]] double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// A whole number in [0, count).
  [[nodiscard]] int below(int count);
  /// Of mean 0 and variance 1, by Box and Muller.
  [[nodiscard]] double normal();
  /// Of mean 1.
  [[nodiscard]] double exponential();
  /// A Poisson count of mean `mean` >= 0, exact at every mean: by inversion below 10, by Hoermann's
  /// transformed rejection PTRS (1993, Insurance: Mathematics and Economics 12, 39) above.
  [[nodiscard]] double poisson(double mean);

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;
  bool has_spare_ = false;
};

/// A number that stands for a short name of up to 8 characters, as a key of Random.
[[nodiscard]] std::uint64_t key_of(std::string_view name);

}  // namespace spex
