// Damage to FITS files, from a seed.
#pragma once

#include <random>
#include <vector>

namespace spex::fuzz {

/// One to four random mutations of a FITS file: flipped bits; edited header cards (values replaced,
/// also by forms of numbers that parsers read in several ways, keywords damaged, doubled, written
/// as HIERARCH, in small letters or with signs in their numbers, cards removed or moved);
/// descriptors of arrays in tables; truncation; blocks of 2880 bytes doubled, removed or swapped.
/// The same state of `random` gives the same bytes.
[[nodiscard]] std::vector<char> mutate(std::vector<char> bytes, std::mt19937_64& random);

/// One to three mutations of a gzip file: its header, its end, flipped bits, truncation, a second
/// stream or other bytes behind it.
[[nodiscard]] std::vector<char> mutate_gzip(std::vector<char> bytes, std::mt19937_64& random);

}  // namespace spex::fuzz
