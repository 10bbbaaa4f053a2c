// Reads a PSF with the installed library and checks that one spot of it sums to 1.
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "reference/io/read_psf.hpp"
#include "reference/psf/spots.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const spex::Psf psf = spex::read_psf(argv[1]);
  const std::vector<double> wave{0.5 * (psf.wavemin + psf.wavemax)};
  const spex::Spots spots = spex::evaluate_spots(psf, 0, 1, wave);
  const double sum = std::accumulate(spots.value.begin(), spots.value.end(), 0.0);
  std::printf("%d fibers; a spot of %d x %d pixels sums to %.15g\n", psf.nfiber, spots.nx, spots.ny,
              sum);
  return std::abs(sum - 1) < 1e-12 ? 0 : 1;
}
