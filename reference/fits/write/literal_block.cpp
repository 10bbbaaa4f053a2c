#include "reference/fits/write/literal_block.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace spex {
namespace {

constexpr std::uint32_t longest = 15;  // bits; longest code

using Weights = std::array<std::uint64_t, literal_symbols>;
using Lengths = std::array<std::uint32_t, literal_symbols>;

// Huffman's algorithm; among equal weights the node created first comes first.
Lengths huffman_lengths(const Weights& weights) {
  using Node = std::pair<std::uint64_t, std::size_t>;  // weight, index
  std::priority_queue<Node, std::vector<Node>, std::greater<>> nodes;
  for (std::size_t symbol = 0; symbol < weights.size(); ++symbol)
    nodes.emplace(weights[symbol], symbol);
  constexpr std::size_t root = 2 * literal_symbols - 2;
  std::array<std::size_t, root> parent{};
  for (std::size_t made = literal_symbols; made <= root; ++made) {
    std::uint64_t weight = 0;
    for (int child = 0; child < 2; ++child) {
      weight += nodes.top().first;
      parent[nodes.top().second] = made;
      nodes.pop();
    }
    nodes.emplace(weight, made);
  }
  std::array<std::uint32_t, root + 1> depth{};  // a parent is created after its children
  for (std::size_t node = root; node-- > 0;) depth[node] = depth[parent[node]] + 1;
  Lengths lengths{};
  std::copy_n(depth.begin(), lengths.size(), lengths.begin());
  return lengths;
}

// Flattens the weights until no code is too long.
Lengths code_lengths(Weights weights) {
  for (;;) {
    const Lengths lengths = huffman_lengths(weights);
    if (*std::max_element(lengths.begin(), lengths.end()) <= longest) return lengths;
    for (std::uint64_t& weight : weights) weight = weight / 2 + 1;
  }
}

std::uint32_t reversed(std::uint32_t bits, std::uint32_t nbits) {
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < nbits; ++i) result |= (bits >> i & 1U) << (nbits - 1 - i);
  return result;
}

// Canonical codes (RFC 1951, 3.2.2): codes of one length ascend with the symbols, and longer codes
// follow shorter codes. A code is written from its highest bit.
LiteralCode code_of(const Lengths& lengths) {
  LiteralCode code;
  code.nbits = lengths;
  std::uint32_t next = 0;
  for (std::uint32_t nbits = 1; nbits <= longest; ++nbits, next <<= 1)
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] == nbits) code.bits[symbol] = reversed(next++, nbits);
  return code;
}

class HeaderWriter {
 public:
  void put(std::uint32_t value, std::uint32_t nbits) {
    for (std::uint32_t i = 0; i < nbits; ++i, ++at_)
      header_[at_ / 32] |= (value >> i & 1U) << (at_ % 32);
  }
  [[nodiscard]] const BlockHeader& header() const { return header_; }

 private:
  BlockHeader header_{};
  std::size_t at_ = 0;
};

}  // namespace

LiteralCode make_literal_code(std::span<const std::uint32_t, literals> counts,
                              std::uint32_t blocks) {
  Weights weights{};
  for (std::size_t byte = 0; byte < counts.size(); ++byte)
    weights[byte] = std::uint64_t{counts[byte]} + 1;  // every byte gets a code
  weights[end_of_block] = std::uint64_t{blocks} + 1;
  return code_of(code_lengths(weights));
}

BlockHeader block_header(const LiteralCode& code) {
  HeaderWriter to;
  to.put(0, 1);  // more blocks follow
  to.put(2, 2);  // dynamic Huffman codes
  to.put(literal_symbols - 257, 5);
  // Distances are unused: write two codes of one bit, as zlib does for decoders that require them.
  constexpr std::uint32_t distances = 2;
  to.put(distances - 1, 5);
  // Code lengths 0 to 15 are coded as themselves in 4 bits. The symbols for repeats, first in the
  // order of RFC 1951, get no code.
  constexpr std::uint32_t repeats = 3, lengths_of_lengths = repeats + longest + 1, width = 4;
  to.put(lengths_of_lengths - 4, 4);
  for (std::uint32_t k = 0; k < lengths_of_lengths; ++k) to.put(k < repeats ? 0 : width, 3);
  for (const std::uint32_t nbits : code.nbits) to.put(reversed(nbits, width), width);
  for (std::uint32_t k = 0; k < distances; ++k) to.put(reversed(1, width), width);
  return to.header();
}

std::size_t bytes_of_blocks(std::uint64_t bits) {
  constexpr std::uint64_t kind = 3;        // bits: not the last block, stored
  constexpr std::size_t length_bytes = 4;  // the length and its complement
  return (bits + kind + 7) / 8 + length_bytes;
}

void end_blocks(std::span<char> bytes) {
  // The block type and the length are zero bits; the complement of the length follows.
  for (char& byte : bytes.last(2)) byte = '\xff';
}

}  // namespace spex
