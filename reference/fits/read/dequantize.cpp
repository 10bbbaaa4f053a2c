#include "reference/fits/read/dequantize.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace spex {
namespace {

constexpr std::size_t nrandom = 10000;

// The random numbers of the FITS standard, the same in all programs.
const std::array<float, nrandom>& random_numbers() {
  static const std::array<float, nrandom> numbers = [] {
    constexpr double a = 16807;
    constexpr double m = 2147483647;
    std::array<float, nrandom> made{};
    double seed = 1;
    for (float& number : made) {
      seed = std::fmod(a * seed, m);
      number = static_cast<float>(seed / m);
    }
    return made;
  }();
  return numbers;
}

// The sequence of random numbers of a tile. At the end of the numbers it continues from another
// random index.
class TileRandom {
 public:
  explicit TileRandom(long long start) : start_(static_cast<std::size_t>(start) % nrandom) {
    jump();
  }
  float next() {
    const float number = random_numbers()[at_++];
    if (at_ == nrandom) {
      start_ = (start_ + 1) % nrandom;
      jump();
    }
    return number;
  }

 private:
  void jump() { at_ = static_cast<std::size_t>(random_numbers()[start_] * 500); }
  std::size_t start_;
  std::size_t at_ = 0;
};

}  // namespace

void dequantize(std::span<const std::int32_t> integers, long long tile, const Quantization& how,
                std::span<double> values) {
  // Represents exact 0 in SUBTRACTIVE_DITHER_2.
  constexpr std::int32_t zero_value = -2147483646;
  TileRandom random(tile + how.seed - 2);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const std::int32_t integer = integers[i];
    const bool dithered = how.dither != Dither::none;
    const double shift = dithered ? random.next() : 0;
    if (how.blank && integer == *how.blank)
      values[i] = std::numeric_limits<double>::quiet_NaN();
    else if (how.dither == Dither::subtractive_2 && integer == zero_value)
      values[i] = 0;
    else if (dithered)
      values[i] = (integer - shift + 0.5) * how.scale + how.zero;
    else
      values[i] = integer * how.scale + how.zero;
  }
}

}  // namespace spex
