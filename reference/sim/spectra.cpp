#include "reference/sim/spectra.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"
#include "reference/sim/cut_psf.hpp"
#include "reference/sim/lamps.hpp"
#include "reference/sim/random.hpp"
#include "reference/sim/sky_lines.hpp"

namespace spex {
namespace {

constexpr double reference_exptime = 900;  // s, exposure time of the tabulated strengths and levels
constexpr double speed_of_light = 299792.458;  // km/s
constexpr double sky_line_sigma = 0.1;         // Angstrom

double gaussian(double x, double center, double sigma) {
  const double z = (x - center) / sigma;
  return std::exp(-0.5 * z * z);
}

// Throughput: smooth over the arm, falling towards both ends.
double throughput_at(const ArmThroughput& arm, double lambda) {
  const double lost = arm.cut_on > 0 ? std::exp(-(lambda - arm.cut_on) / arm.cut_on_width) : 0;
  return 0.15 + 0.85 / (1 + lost) * gaussian(lambda, arm.peak, arm.width);
}

// Electron / Angstrom in 900 s; the sky is brighter in the red.
double sky_continuum(double lambda) {
  return 40 + 90 / (1 + std::exp(-(lambda - 6500) / 900));
}

// Planck's law in photons per wavelength, normalized to 1 at 6500 Angstrom.
double black_body(double lambda, double temperature) {
  const auto photons = [&](double angstrom) {
    constexpr double hc_over_k = 1.438777e8;  // Angstrom K
    const double x = angstrom / 6500;
    return 1 / (x * x * x * x * std::expm1(hc_over_k / (angstrom * temperature)));
  };
  return photons(lambda) / photons(6500);
}

struct RestLine {
  double wavelength;  // Angstrom
  double strength;    // galaxies: relative to [OII]; stars: depth
  double sigma;       // stars: Angstrom
};

constexpr RestLine galaxy_lines[] = {
    {3726.0, 0.45, 0}, {3728.8, 0.55, 0}, {3868.8, 0.15, 0}, {4340.5, 0.15, 0}, {4861.3, 0.35, 0},
    {4958.9, 0.30, 0}, {5006.8, 0.90, 0}, {6548.1, 0.12, 0}, {6562.8, 1.20, 0}, {6583.5, 0.35, 0},
    {6716.4, 0.20, 0}, {6730.8, 0.15, 0}, {9068.6, 0.15, 0}, {9530.6, 0.40, 0},
};

constexpr RestLine star_lines[] = {
    {3797.9, 0.35, 6}, {3835.4, 0.4, 6},  {3889.1, 0.45, 6}, {3933.7, 0.5, 5},  {3970.1, 0.5, 7},
    {4101.7, 0.45, 8}, {4340.5, 0.45, 8}, {4861.3, 0.45, 8}, {5175.4, 0.15, 9}, {5891.9, 0.2, 2},
    {6562.8, 0.4, 7},  {8498.0, 0.25, 2}, {8542.1, 0.3, 3},  {8662.1, 0.3, 3},  {9014.9, 0.15, 10},
};

double star_spectrum(const Target& star, double lambda) {
  double flux = star.level * black_body(lambda, star.temperature);
  for (const RestLine& line : star_lines)
    flux *= 1 - line.strength * gaussian(lambda, line.wavelength, line.sigma);
  return flux;
}

// A flat continuum with the 4000 Angstrom break, without lines.
double galaxy_continuum(const Target& galaxy, double lambda) {
  const double rest = lambda / (1 + galaxy.redshift);
  return galaxy.level * (0.5 + 0.5 / (1 + std::exp(-(rest - 4000) / 40)));
}

// Adds a Gaussian line of `electrons`, integrated over each bin.
void add_line(const Truth& truth, double center, double sigma, double electrons,
              std::vector<double>& flux) {
  constexpr double reach = 8;  // sigma
  const double first = truth.wave.front() - truth.dw / 2;
  const int nwave = truth.nwave();
  const auto bin = [&](double lambda) {
    return static_cast<int>(std::clamp(std::floor((lambda - first) / truth.dw), -1.0, nwave * 1.0));
  };
  const auto integral = [&](int w) {  // integral up to the lower edge of bin w
    const double edge = first + w * truth.dw;
    return 0.5 * std::erf((edge - center) / (sigma * std::numbers::sqrt2));
  };
  const int last = std::min(bin(center + reach * sigma), nwave - 1);
  for (int w = std::max(bin(center - reach * sigma), 0); w <= last; ++w)
    flux[w] += electrons * (integral(w + 1) - integral(w)) / truth.dw;
}

std::vector<double> sky_spectrum(const Truth& truth) {
  std::vector<double> sky;
  sky.reserve(truth.wave.size());
  for (const double lambda : truth.wave) sky.push_back(sky_continuum(lambda));
  for (const SkyLine& line : sky_lines())
    add_line(truth, line.wavelength, sky_line_sigma, line.strength, sky);
  return sky;
}

std::vector<double> lamp_spectrum(const Truth& truth, Flavor flavor) {
  std::vector<double> lamp(truth.wave.size(), 0.0);
  if (flavor == Flavor::flat)
    for (std::size_t w = 0; w < lamp.size(); ++w) lamp[w] = flat_lamp(truth.wave[w]);
  else
    for (const SkyLine& line : arc_lines())
      add_line(truth, line.wavelength, sky_line_sigma, line.strength, lamp);
  return lamp;
}

void add_target(const Truth& truth, const Target& target, std::vector<double>& flux) {
  if (target.kind == TargetKind::sky) return;
  const bool galaxy = target.kind == TargetKind::galaxy;
  for (std::size_t w = 0; w < flux.size(); ++w)
    flux[w] +=
        galaxy ? galaxy_continuum(target, truth.wave[w]) : star_spectrum(target, truth.wave[w]);
  if (!galaxy) return;
  for (const RestLine& line : galaxy_lines) {
    const double center = line.wavelength * (1 + target.redshift);
    add_line(truth, center, center * target.line_sigma / speed_of_light,
             target.line_strength * line.strength, flux);
  }
}

// The relative throughput of a fiber, smooth over the arm.
class FiberThroughput {
 public:
  FiberThroughput(const Camera& camera, int fiber, std::uint64_t seed) {
    Random random(Stream::throughput,
                  {seed, key_of(camera.name()), static_cast<std::uint64_t>(fiber)});
    level_ = random.uniform(0.85, 1.0);
    ripple_ = random.uniform(0, 0.02);
    period_ = random.uniform(300, 900);
    phase_ = random.uniform(0, 2 * std::numbers::pi);
  }
  [[nodiscard]] double at(double lambda) const {
    return level_ * (1 + ripple_ * std::sin(2 * std::numbers::pi * lambda / period_ + phase_));
  }

 private:
  double level_, ripple_, period_, phase_;
};

}  // namespace

Truth make_truth_grid(const Psf& psf, const WaveRange& grid, bool on_grid,
                      const std::string& name) {
  Truth truth;
  truth.on_grid = on_grid;
  truth.dw = on_grid ? grid.dw : grid.dw / truth_steps_a_bin;
  truth.nfiber = psf.nfiber;
  const WaveInterval range = defined_range(psf);
  const auto first = static_cast<int>(std::ceil((range.wavemin - grid.wmin) / truth.dw));
  const auto last = static_cast<int>(std::floor((range.wavemax - grid.wmin) / truth.dw));
  for (int w = first; w <= last; ++w) truth.wave.push_back(grid.wmin + w * truth.dw);
  if (truth.wave.empty() || truth.wave.back() < grid.wmin || truth.wave.front() > grid.wmax)
    throw data_error(
        name, fmt::format("covers {:g} to {:g} Angstrom", range.wavemin, range.wavemax),
        fmt::format("wavelengths of the camera's grid, {:g} to {:g}", grid.wmin, grid.wmax));
  return truth;
}

void fill_spectra(Truth& truth, const Observation& of, const std::vector<Target>& targets,
                  int threads) {
  const auto& [camera, seed, exptime, flavor] = of;
  const bool lamps = flavor == Flavor::flat || flavor == Flavor::arc;
  const std::vector<double> common = lamps ? lamp_spectrum(truth, flavor) : sky_spectrum(truth);
  const ArmThroughput& throughput = arm_of(camera).throughput;
  std::vector<double> share;
  share.reserve(truth.wave.size());
  for (const double lambda : truth.wave)
    share.push_back(throughput_at(throughput, lambda) * exptime / reference_exptime);
  const std::size_t nwave = truth.nwave();
  truth.flux.resize(static_cast<std::size_t>(truth.nfiber) * nwave);
  parallel_for(threads, truth.nfiber, [&](int /*thread*/, int s) {
    const Target& target = targets.at(s);
    std::vector<double> flux = common;
    if (of.flavor == Flavor::science) add_target(truth, target, flux);
    const FiberThroughput own(of.camera, target.fiber, of.seed);
    for (std::size_t w = 0; w < nwave; ++w)
      truth.flux[static_cast<std::size_t>(s) * nwave + w] =
          static_cast<float>(flux[w] * share[w] * own.at(truth.wave[w]));
  });
}

}  // namespace spex
