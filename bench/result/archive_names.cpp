#include <sstream>

#include "bench/result/archive.hpp"

namespace spex::bench {

bool is_safe_name(const std::string& name) {
  constexpr std::size_t longest = 200;
  if (name.empty() || name.size() > longest || name.back() == '/') return false;
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '/');)
    if (part.empty() || part.front() == '.' || part.front() == '-' ||
        part.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") !=
            std::string::npos)
      return false;
  return true;
}

}  // namespace spex::bench
