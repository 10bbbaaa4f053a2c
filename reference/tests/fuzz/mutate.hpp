// Random mutations of FITS files.
#pragma once

#include <random>
#include <vector>

namespace spex::fuzz {

/// One to four random mutations of a FITS file: flipped bits; edited header cards (values replaced,
/// also by number formats that parsers read differently; keywords damaged, duplicated, written as
/// HIERARCH, in lower case or with signs in their numbers; cards removed or moved); array
/// descriptors in tables; truncation; blocks of 2880 bytes duplicated, removed or swapped. The same
/// state of `random` gives the same bytes.
[[nodiscard]] std::vector<char> mutate(std::vector<char> bytes, std::mt19937_64& random);

/// One to three mutations of a gzip file: its header, its trailer, flipped bits, truncation, a
/// second stream or other bytes after the stream.
[[nodiscard]] std::vector<char> mutate_gzip(std::vector<char> bytes, std::mt19937_64& random);

}  // namespace spex::fuzz
