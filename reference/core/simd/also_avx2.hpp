// Function multiversioning: two variants of a loop, one for AVX2.
#pragma once

#include <cstddef>  // says whether this is glibc

/// Marks a function that the compiler builds twice, for baseline x86-64 and for AVX2; the loader
/// picks the variant that the processor supports. Baseline x86-64 cannot swap the bytes of a
/// vector. Use only for integer code, whose results do not depend on the variant. Before Clang 18,
/// callers in other translation units fail to link, so that the macro is empty there.
#if defined(__x86_64__) && defined(__GLIBC__) && (!defined(__clang__) || __clang_major__ >= 18)
#define SPEX_ALSO_AVX2 [[gnu::target_clones("avx2", "default")]]
#else
#define SPEX_ALSO_AVX2
#endif
