#include "reference/sim/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace spex {
namespace {

std::mt19937_64 seeded(Stream stream, std::initializer_list<std::uint64_t> keys) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(stream)};
  for (const std::uint64_t key : keys) {
    words.push_back(static_cast<std::uint32_t>(key));
    words.push_back(static_cast<std::uint32_t>(key >> 32));
  }
  std::seed_seq sequence(words.begin(), words.end());
  return std::mt19937_64(sequence);
}

// ln k! for k >= 0 by Stirling's series, with k! = (k + n)! / ((k + 1) ... (k + n)) for small k.
// Not std::lgamma, which writes a global variable.
double log_factorial(double k) {
  double shift = 1;
  while (k < 10) shift *= ++k;
  const double n = k + 1;
  const double series = 1 / (12 * n) - 1 / (360 * n * n * n) + 1 / (1260 * n * n * n * n * n);
  return (n - 0.5) * std::log(n) - n + 0.5 * std::log(2 * std::numbers::pi) + series -
         std::log(shift);
}

}  // namespace

Random::Random(Stream stream, std::initializer_list<std::uint64_t> keys)
    : engine_(seeded(stream, keys)) {}

double Random::uniform() {
  return static_cast<double>(engine_() >> 11) * 0x1p-53;
}

int Random::below(int count) {
  return std::min(count - 1, static_cast<int>(uniform() * count));
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(2 * exponential());
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

double Random::exponential() {
  return -std::log(1 - uniform());
}

double Random::poisson(double mean) {
  constexpr double inversion_below = 10;
  if (mean < inversion_below) {
    double k = 0;
    double p = std::exp(-mean);
    double rest = uniform() - p;
    while (rest >= 0 && p > 0) {
      p *= mean / ++k;
      rest -= p;
    }
    return k;
  }
  const double log_mean = std::log(mean);
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inv_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_r = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = uniform() - 0.5;
    const double v = 1 - uniform();  // (0, 1], because its logarithm is taken
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v * inv_alpha / (a / (us * us) + b)) <= k * log_mean - mean - log_factorial(k))
      return k;
  }
}

std::uint64_t key_of(std::string_view name) {
  std::uint64_t key = 0;
  for (const char c : name) key = key << 8 | static_cast<unsigned char>(c);
  return key;
}

}  // namespace spex
