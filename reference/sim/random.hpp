// Streams of random numbers. The standard library specifies its engines exactly, but not its
// distributions. Here uniform and integer numbers are identical on every machine; the other
// distributions agree to the last bits of libm's log, sin, cos and exp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string_view>

namespace spex {

/// The purpose of a stream. Streams of different purpose, key or seed are independent, so that
/// results do not depend on the order or thread of the draws.
enum class Stream : std::uint32_t {
  psf = 1,
  throughput,
  target,
  noise,
  cosmics,
  defects,
  positioner,
  shift,
  unmasked_cosmics,
  pixel_flat,
};

/// A stream of random numbers.
class Random {
 public:
  /// `keys` identify a stream among those of one purpose: the seed, a camera, a row ...
  Random(Stream stream, std::initializer_list<std::uint64_t> keys);

  /// Uniform in [0, 1), in steps of 2^-53.
  [[nodiscard]] double uniform();
  /// Uniform in [low, high).
  [[nodiscard]] double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// A uniform integer in [0, count).
  [[nodiscard]] int below(int count);
  /// Normal with mean 0 and variance 1, by Box and Muller.
  [[nodiscard]] double normal();
  /// Exponential with mean 1.
  [[nodiscard]] double exponential();
  /// A Poisson count with mean `mean` >= 0, exact at every mean: by inversion below 10, by
  /// Hoermann's transformed rejection PTRS above (1993, Insurance: Mathematics and Economics 12,
  /// 39).
  [[nodiscard]] double poisson(double mean);

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;
  bool has_spare_ = false;
};

/// Encodes a name of up to 8 characters as a key of Random.
[[nodiscard]] std::uint64_t key_of(std::string_view name);

}  // namespace spex
