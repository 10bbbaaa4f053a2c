#include "reference/sim/targets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "reference/model/camera.hpp"
#include "reference/sim/random.hpp"

namespace spex {
namespace {

using BundleKinds = std::array<TargetKind, fibers_a_bundle>;

// Shuffled target kinds of a bundle's fibers.
BundleKinds bundle_kinds(std::uint64_t seed, int bundle) {
  Random random(Stream::target, {seed, 0, static_cast<std::uint64_t>(bundle)});
  BundleKinds kinds;
  kinds.fill(TargetKind::galaxy);
  kinds[0] = kinds[1] = TargetKind::sky;
  if (random.uniform() < 0.5) kinds[2] = TargetKind::sky;
  kinds[3] = TargetKind::standard_star;
  if (bundle % 4 == 0) kinds[4] = TargetKind::bright_star;
  for (int i = fibers_a_bundle - 1; i > 0; --i) std::swap(kinds[i], kinds[random.below(i + 1)]);
  return kinds;
}

void set_appearance(Target& target, Random& random) {
  switch (target.kind) {
    case TargetKind::sky:
      break;
    case TargetKind::standard_star:
      target.level = random.uniform(800, 3000);
      target.temperature = random.uniform(5800, 7500);
      break;
    case TargetKind::bright_star:
      target.level = random.uniform(15000, 30000);
      target.temperature = random.uniform(4000, 10000);
      break;
    case TargetKind::galaxy:
      target.level = 20 * std::exp(random.normal());
      target.redshift = random.uniform(0.02, 1.6);
      target.line_strength = 500 * std::exp(0.8 * random.normal());
      target.line_sigma = random.uniform(50, 200);
      break;
  }
}

constexpr double mm_a_degree = 252;  // approximate scale of DESI's focal plane

}  // namespace

std::int64_t Target::desi_target() const {
  switch (kind) {
    case TargetKind::sky:
      return std::int64_t{1} << 32;
    case TargetKind::standard_star:
      return std::int64_t{1} << 33;
    case TargetKind::bright_star:
      return std::int64_t{1} << 61;
    case TargetKind::galaxy:
      return 1 << 1;
  }
  return 0;
}

double Target::gaia_g() const {
  const bool star = kind == TargetKind::standard_star || kind == TargetKind::bright_star;
  // Magnitude 16.5 for the brightest standard star.
  return star ? 16.5 - 2.5 * std::log10(level / 3000) : 0;
}

double Target::fiber_x() const {
  return -(ra - field_ra) * std::cos(field_dec * std::numbers::pi / 180) * mm_a_degree;
}

double Target::fiber_y() const {
  return (dec - field_dec) * mm_a_degree;
}

std::vector<Target> make_targets(std::uint64_t seed, int fibermin, int nfiber) {
  constexpr double field_radius = 1.6;  // degrees
  std::vector<Target> targets;
  BundleKinds kinds{};
  for (int s = 0; s < nfiber; ++s) {
    const int fiber = fibermin + s;
    if (s % fibers_a_bundle == 0) kinds = bundle_kinds(seed, fiber / fibers_a_bundle);
    Random random(Stream::target, {seed, 1, static_cast<std::uint64_t>(fiber)});
    Target target;
    target.kind = kinds[s % fibers_a_bundle];
    target.fiber = fiber;
    target.targetid = 1'000'000 + fiber;
    target.ra = field_ra + field_radius * random.uniform(-1, 1);
    target.dec = field_dec + field_radius * random.uniform(-1, 1);
    set_appearance(target, random);
    Random positioner(Stream::positioner, {seed, static_cast<std::uint64_t>(fiber)});
    target.delta_x = 0.005 * positioner.normal();
    target.delta_y = 0.005 * positioner.normal();
    targets.push_back(target);
  }
  return targets;
}

}  // namespace spex
