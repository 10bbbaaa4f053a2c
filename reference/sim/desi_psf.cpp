#include "reference/sim/desi_psf.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "reference/sim/random.hpp"

namespace spex {
namespace {

constexpr double fiber_spacing = 7.3;  // pixels
constexpr double bundle_gap = 20;      // pixels, between the outer fibers of neighboring bundles
constexpr double bow = 100;            // rows, from the middle fiber to the outer ones

// Distance in columns of fiber s from fiber 0 at the central wavelength.
double columns_from_first(int s) {
  constexpr double bundle_pitch = (fibers_a_bundle - 1) * fiber_spacing + bundle_gap;
  const int bundle = s / fibers_a_bundle;
  return bundle * bundle_pitch + s % fibers_a_bundle * fiber_spacing;
}

// The fiber's position along the slit, -1 to 1.
double slit_place(int s) {
  return 2.0 * s / (fibers_a_spectrograph - 1) - 1;
}

// Traces converge towards the CCD's center with wavelength, as the camera's magnification varies.
void set_traces(Psf& psf, const ArmDetector& arm, Random& random) {
  constexpr double half_height = bow / 2;
  const double width = columns_from_first(fibers_a_spectrograph - 1);
  const double x_first = (arm.npix_x - 1 - width) / 2 + random.uniform(-3, 3);
  const double y_middle = (arm.npix_y - 1) / 2.0 + random.uniform(-5, 5);
  const double half_rows = arm.dispersion * (arm.wavemax - arm.wavemin) / 2;
  const double tilt = random.uniform(-0.5, 0.5);
  for (int s = 0; s < psf.nfiber; ++s) {
    const double v = slit_place(s);
    psf.xtrace.coeff.insert(psf.xtrace.coeff.end(),
                            {x_first + columns_from_first(s), 6 * v + tilt, 3 * v, 0.2 * v * v,
                             -1.8 * v, -0.15 * v, 0.2 * v});
    psf.ytrace.coeff.insert(psf.ytrace.coeff.end(),
                            {y_middle + bow * v * v - half_height, half_rows * (1 + 0.002 * v * v),
                             20 + v, 5 - 3 * v * v, 0.5, -1.2, 0.1 * v});
  }
}

// The amplitude of g_ij: larger for lower orders and for orders even in both i and j.
double gh_amplitude(int i, int j) {
  const double amplitude = 0.02 * std::pow(0.45, i + j - 1);
  return i % 2 == 0 && j % 2 == 0 ? 2 * amplitude : amplitude;
}

// coefficients = mean + amplitude x a smooth random function of the fiber's position and the
// wavelength.
void set_parameter(Psf& psf, int parameter, double mean, double amplitude, Random& random) {
  std::vector<double> shape(3 * psf.ncoeff);
  for (double& value : shape) value = random.uniform(-1, 1);
  for (int s = 0; s < psf.nfiber; ++s) {
    const double v = slit_place(s);
    for (int d = 0; d < psf.ncoeff; ++d) {
      const double* c = shape.data() + 3 * d;
      const double value = amplitude / (1 + d) * (c[0] + c[1] * v + c[2] * v * v) / 2;
      psf.param[(parameter * psf.nfiber + s) * psf.ncoeff + d] = d == 0 ? mean + value : value;
    }
  }
}

}  // namespace

Psf make_desi_psf(const Camera& camera) {
  const ArmDetector& arm = arm_of(camera).detector;
  Random random(Stream::psf, {key_of(camera.name())});
  Psf psf;
  psf.nfiber = fibers_a_spectrograph;
  psf.hsizex = 8;
  psf.hsizey = 5;
  psf.ghdegx = psf.ghdegy = 6;
  psf.npix_x = arm.npix_x;
  psf.npix_y = arm.npix_y;
  psf.fibermin = camera.fibermin();
  psf.wavemin = psf.xtrace.wavemin = psf.ytrace.wavemin = arm.wavemin;
  psf.wavemax = psf.xtrace.wavemax = psf.ytrace.wavemax = arm.wavemax;
  psf.xtrace.ncoeff = psf.ytrace.ncoeff = 7;
  psf.ncoeff = 4;
  set_traces(psf, arm, random);

  psf.param.assign(psf.nparam() * psf.nfiber * psf.ncoeff, 0.0);
  set_parameter(psf, 0, 1.06, 0.1, random);
  set_parameter(psf, 1, 1.12, 0.1, random);
  for (int i = 0; i <= psf.ghdegx; ++i)
    for (int j = 0; j <= psf.ghdegy; ++j) {
      const bool core = i == 0 && j == 0;
      set_parameter(psf, 2 + i * (psf.ghdegy + 1) + j, core ? 1 : 0, core ? 0 : gh_amplitude(i, j),
                    random);
    }
  return psf;
}

}  // namespace spex
