#include "reference/sim/read_noise.hpp"

#include "reference/core/count.hpp"
#include "reference/core/parallel.hpp"

namespace spex {
namespace {

constexpr double flat_spread = 0.01;

}  // namespace

CcdSection section_of(int amplifier, int nx, int ny) {
  const bool right = amplifier % 2 == 1;
  const bool upper = amplifier / 2 == 1;
  return {right ? nx / 2 : 0, right ? nx : nx / 2, upper ? ny / 2 : 0, upper ? ny : ny / 2};
}

std::vector<float> make_read_noise(int nx, int ny, const ExposureKey& key, int threads) {
  std::vector<float> noise(count_of(nx, ny));
  parallel_for(threads, ny, [&](int /*thread*/, int y) {
    Random random(Stream::pixel_flat,
                  {key.seed, key_of(key.camera.name()), static_cast<std::uint64_t>(y)});
    const std::size_t lower = y < ny / 2 ? 0 : 2;
    float* const row = noise.data() + count_of(y, nx);
    for (int x = 0; x < nx; ++x) {
      const Amplifier& amplifier = amplifiers.at(lower + (x < nx / 2 ? 0 : 1));
      row[x] = static_cast<float>(amplifier.noise / (1 + flat_spread * random.normal()));
    }
  });
  return noise;
}

}  // namespace spex
