#include "reference/fits/read/inflate.hpp"

namespace spex {

bool Inflater::inflate(std::span<const unsigned char> stream, std::span<unsigned char> to) {
  reset();
  const Step all = step({reinterpret_cast<const char*>(stream.data()), stream.size()},
                        {reinterpret_cast<char*>(to.data()), to.size()});
  return all.ended && all.made == to.size();
}

bool is_gzip(std::span<const char> bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

}  // namespace spex
