// The instruction sets that the kernels over lanes are compiled for, and the set in use.
//
// A source of kernels is compiled once for each set (spex_add_lanes in ci/cmake/SpexTargets.cmake),
// in a namespace with the set's name. All sets give the same bytes: no product and sum are fused,
// and each lane has its own sums in one order.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// An instruction set. All but `any` are of x86-64.
enum class Instructions {
  any,     ///< what every processor of the compiler's target has
  avx2,    ///< vectors of 4 numbers
  avx512,  ///< vectors of 8 numbers (AVX-512 F, DQ and VL)
};

/// The name of a set: its namespace, and what SPEX_INSTRUCTIONS may be.
[[nodiscard]] const char* to_string(Instructions instructions);

/// The sets that this processor has and this build has kernels for, the widest last.
[[nodiscard]] std::vector<Instructions> available_instructions();

/// The set named `name`. Throws Error(usage) where there is none, or the processor lacks it.
[[nodiscard]] Instructions instructions_named(const std::string& name);

/// The set in use: what the environment's SPEX_INSTRUCTIONS names, else the widest available.
/// Throws as instructions_named.
[[nodiscard]] Instructions instructions_in_use();

}  // namespace spex

// Declares `const Kernels& name(Instructions)`, which gives the kernels of a set. Each set defines
// them as `const Kernels name##_of_set` in its namespace.
#ifdef SPEX_X86_INSTRUCTIONS
#define SPEX_KERNELS(Kernels, name)                                              \
  namespace any {                                                                \
  extern const Kernels name##_of_set;                                            \
  }                                                                              \
  namespace avx2 {                                                               \
  extern const Kernels name##_of_set;                                            \
  }                                                                              \
  namespace avx512 {                                                             \
  extern const Kernels name##_of_set;                                            \
  }                                                                              \
  inline const Kernels& name(Instructions set) {                                 \
    if (set == Instructions::avx512) return avx512::name##_of_set;               \
    return set == Instructions::avx2 ? avx2::name##_of_set : any::name##_of_set; \
  }
#else
#define SPEX_KERNELS(Kernels, name)          \
  namespace any {                            \
  extern const Kernels name##_of_set;        \
  }                                          \
  inline const Kernels& name(Instructions) { \
    return any::name##_of_set;               \
  }
#endif
