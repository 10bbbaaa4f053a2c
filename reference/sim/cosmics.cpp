#include "reference/sim/cosmics.hpp"

#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "reference/core/count.hpp"

namespace spex {
namespace {

constexpr std::size_t pixels_a_cosmic = 8000;

// Adds a straight track of electrons.
void add_track(int nx, int ny, bool masked, Random& random, std::vector<CosmicPixel>& cosmics) {
  const double x = random.uniform(0, nx);
  const double y = random.uniform(0, ny);
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const int length = 1 + static_cast<int>(5 * random.exponential());
  const double electrons = random.uniform(200, 4000);
  for (int i = 0; i < length; ++i) {
    const int column = static_cast<int>(std::floor(x + i * std::cos(angle)));
    const int row = static_cast<int>(std::floor(y + i * std::sin(angle)));
    if (column < 0 || column >= nx || row < 0 || row >= ny) return;
    cosmics.push_back(
        {column, row, static_cast<float>(electrons * random.uniform(0.5, 1.5)), masked});
  }
}

}  // namespace

std::vector<CosmicPixel> make_cosmics(int nx, int ny, const ExposureKey& key,
                                      const CosmicOptions& options) {
  const std::size_t usual = 1 + count_of(nx, ny) / pixels_a_cosmic;
  const auto tracks = std::llround(options.factor * static_cast<double>(usual));
  Random random = key.stream(Stream::cosmics, 0);
  Random choice = key.stream(Stream::unmasked_cosmics, 0);
  std::vector<CosmicPixel> cosmics;
  for (long long i = 0; i < tracks; ++i)
    add_track(nx, ny, choice.uniform() >= options.unmasked, random, cosmics);

  std::set<std::pair<int, int>> masked;
  for (const CosmicPixel& pixel : cosmics)
    if (pixel.masked) masked.emplace(pixel.x, pixel.y);
  for (CosmicPixel& pixel : cosmics) pixel.masked = masked.contains({pixel.x, pixel.y});
  return cosmics;
}

}  // namespace spex
