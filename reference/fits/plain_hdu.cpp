#include "reference/fits/plain_hdu.hpp"

namespace spex {

void append_header(Bytes& out, const std::vector<std::string>& cards) {
  const std::size_t begin = out.size();
  for (const std::string& card : cards) out.insert(out.end(), card.begin(), card.end());
  const std::string end = "END";
  out.insert(out.end(), end.begin(), end.end());
  const std::size_t size = out.size() - begin;
  out.resize(begin + whole_blocks(size), ' ');
}

void pad_data(Bytes& out, std::size_t begin) {
  const std::size_t size = out.size() - begin;
  out.resize(begin + whole_blocks(size), '\0');
}

std::span<unsigned char> append_data(Bytes& out, long long size) {
  const std::size_t begin = out.size();
  out.resize(begin + static_cast<std::size_t>(size), '\0');
  return {reinterpret_cast<unsigned char*>(out.data()) + begin, static_cast<std::size_t>(size)};
}

}  // namespace spex
