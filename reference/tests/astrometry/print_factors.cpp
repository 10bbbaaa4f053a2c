// Reads lines "MJD RA DEC" (UTC, degrees) and prints their barycentric factors, for comparison with
// other programs. usage: spex_print_factors [finals2000A.all]

#include <cstdio>
#include <iostream>

#include <fmt/format.h>

#include "reference/astrometry/barycentric.hpp"
#include "reference/core/error.hpp"

int main(int argc, char** argv) {
  try {
    spex::EarthOrientationTable table;
    if (argc > 1) table = spex::read_earth_orientation(argv[1]);
    spex::Pointing pointing;
    while (std::cin >> pointing.mjd >> pointing.ra >> pointing.dec)
      fmt::print("{}\n", spex::barycentric_factor(pointing, argc > 1 ? table.at(pointing.mjd)
                                                                     : spex::EarthOrientation{}));
  } catch (const spex::Error& error) {
    fmt::print(stderr, "spex_print_factors: {}\n", error.what());
    return 1;
  }
  return 0;
}
