#include "reference/fits/read/inflate.hpp"

#include <algorithm>

namespace spex {

std::vector<char> last_window(std::span<const char> before, std::span<const char> bytes) {
  const std::span<const char> last = bytes.last(std::min(bytes.size(), deflate_window));
  const std::span<const char> first =
      before.last(std::min(before.size(), deflate_window - last.size()));
  std::vector<char> window(first.begin(), first.end());
  window.insert(window.end(), last.begin(), last.end());
  return window;
}

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
