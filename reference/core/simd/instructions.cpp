#include "reference/core/simd/instructions.hpp"

#include <algorithm>
#include <cstdlib>

#include "reference/core/error.hpp"

namespace spex {

const char* to_string(Instructions instructions) {
  switch (instructions) {
    case Instructions::any:
      return "any";
    case Instructions::avx2:
      return "avx2";
    case Instructions::avx512:
      break;
  }
  return "avx512";
}

std::vector<Instructions> available_instructions() {
  std::vector<Instructions> sets{Instructions::any};
#ifdef SPEX_X86_INSTRUCTIONS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) sets.push_back(Instructions::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    sets.push_back(Instructions::avx512);
#endif
  return sets;
}

Instructions instructions_named(const std::string& name) {
  const std::vector<Instructions> sets = available_instructions();
  std::string expected;
  for (const Instructions set : sets) {
    if (name == to_string(set)) return set;
    expected += (expected.empty() ? "" : ", ") + std::string(to_string(set));
  }
  throw usage_error("SPEX_INSTRUCTIONS",
                    "'" + name + "' is not an instruction set of this processor", expected);
}

Instructions instructions_in_use() {
  static const Instructions in_use = [] {
    const char* name = std::getenv("SPEX_INSTRUCTIONS");
    return name != nullptr ? instructions_named(name) : available_instructions().back();
  }();
  return in_use;
}

}  // namespace spex
