// Damage to FITS files, from a seed.
#pragma once

#include <random>
#include <vector>

namespace spex::fuzz {

/// One to four random mutations of a FITS file: flipped bits, edited header cards (values replaced,
/// keyword names damaged, cards removed or doubled), truncation, blocks of 2880 bytes doubled,
/// removed or swapped. The same state of `random` gives the same bytes.
[[nodiscard]] std::vector<char> mutate(std::vector<char> bytes, std::mt19937_64& random);

}  // namespace spex::fuzz
