// The instruction sets that SIMD kernels are compiled for, and the set in use.
//
// Each kernel source is compiled once for each set (spex_add_lanes in ci/cmake/SpexTargets.cmake),
// in a namespace named after the set. All sets give bit-identical results: the compiler does not
// fuse products and sums, and each lane sums in a fixed order.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// An instruction set. All sets except `any` are for x86-64.
enum class Instructions {
  any,     ///< the compiler target's baseline
  avx2,    ///< vectors of 4 numbers
  avx512,  ///< vectors of 8 numbers (AVX-512 F, DQ and VL)
};

/// The name of a set, which is also its namespace and its value of SPEX_INSTRUCTIONS.
[[nodiscard]] const char* to_string(Instructions instructions);

/// The sets that both this processor and this build support, widest last.
[[nodiscard]] std::vector<Instructions> available_instructions();

/// The set named `name`. Throws Error(usage) if the name is unknown or the processor lacks the set.
[[nodiscard]] Instructions instructions_named(const std::string& name);

/// The set in use: SPEX_INSTRUCTIONS if the environment sets it, else the widest available set.
/// Throws as instructions_named does.
[[nodiscard]] Instructions instructions_in_use();

}  // namespace spex

// Declares `const Kernels& name(Instructions)`, which returns the kernels of a set. Each set
// defines its kernels as `const Kernels name##_of_set` in its namespace.
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
