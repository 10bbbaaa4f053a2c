// Loops that the compiler makes twice for a processor that may or may not have AVX2.
#pragma once

#include <cstddef>  // says whether this is glibc

/// Before a function: the loader takes its variant for AVX2 where the processor has that. Builds
/// are for any x86-64, which cannot turn bytes round but one by one. Only for whole numbers: their
/// results are the same either way. Before Clang 18 callers in other files do not find such a
/// function.
#if defined(__x86_64__) && defined(__GLIBC__) && (!defined(__clang__) || __clang_major__ >= 18)
#define SPEX_ALSO_AVX2 [[gnu::target_clones("avx2", "default")]]
#else
#define SPEX_ALSO_AVX2
#endif
