// SIMD vectors of eight doubles: spectra, wavelengths or pixels.
//
// Include only in kernel sources (spex_add_lanes). SPEX_INSTRUCTION_SET is the namespace of the
// instruction set that the source is compiled for. Such a source must not call inline functions
// outside of this namespace, except functions made for Lanes: the linker could pick this set's copy
// for all callers. Each operation follows IEEE 754 in each lane, so that all sets give
// bit-identical results.
#pragma once

#ifndef SPEX_INSTRUCTION_SET
#error "lanes.hpp is for sources that are compiled for each instruction set"
#endif

#define SPEX_LANES_INLINE [[gnu::always_inline]] inline

namespace spex::SPEX_INSTRUCTION_SET {

/// Eight numbers.
struct Lanes {
  static constexpr int count = 8;  ///< lanes
  /// @cond vectors of the instruction set
#if defined(__AVX512F__)
  static constexpr int width = 8;
#elif defined(__AVX__)
  static constexpr int width = 4;
#else
  static constexpr int width = 2;
#endif
  static constexpr int parts = count / width;
  typedef double Vector __attribute__((vector_size(width * 8)));
  typedef long long Bits __attribute__((vector_size(width * 8)));
  Vector part[parts];
  /// @endcond

  SPEX_LANES_INLINE Lanes() = default;
  /// Broadcasts a number to all lanes.
  SPEX_LANES_INLINE Lanes(double a) {
    for (Vector& p : part) p = a - Vector{};  // a + 0 would be an addition, as -0 + 0 is not -0
  }
};

/// Evaluates `expression` for each part i and returns the results as Lanes.
#define SPEX_EACH_PART(expression)                                                         \
  Lanes r;                                                                                 \
  _Pragma("GCC unroll 8") for (int i = 0; i < Lanes::parts; ++i) r.part[i] = (expression); \
  return r

SPEX_LANES_INLINE Lanes operator+(Lanes a, Lanes b) {
  SPEX_EACH_PART(a.part[i] + b.part[i]);
}
SPEX_LANES_INLINE Lanes operator-(Lanes a, Lanes b) {
  SPEX_EACH_PART(a.part[i] - b.part[i]);
}
SPEX_LANES_INLINE Lanes operator*(Lanes a, Lanes b) {
  SPEX_EACH_PART(a.part[i] * b.part[i]);
}
SPEX_LANES_INLINE Lanes operator/(Lanes a, Lanes b) {
  SPEX_EACH_PART(a.part[i] / b.part[i]);
}
SPEX_LANES_INLINE Lanes operator-(Lanes a) {
  SPEX_EACH_PART(-a.part[i]);
}
SPEX_LANES_INLINE Lanes& operator+=(Lanes& a, Lanes b) {
  return a = a + b;
}
SPEX_LANES_INLINE Lanes& operator-=(Lanes& a, Lanes b) {
  return a = a - b;
}
SPEX_LANES_INLINE Lanes& operator*=(Lanes& a, Lanes b) {
  return a = a * b;
}

/// Loads eight consecutive numbers; no alignment required.
SPEX_LANES_INLINE Lanes load(const double* from) {
  Lanes a;  // part by part: the compiler would copy a whole struct through memory
#pragma GCC unroll 8
  for (int i = 0; i < Lanes::parts; ++i)
    __builtin_memcpy(&a.part[i], from + i * Lanes::width, sizeof(a.part[i]));
  return a;
}
/// Stores eight consecutive numbers; no alignment required.
SPEX_LANES_INLINE void store(Lanes a, double* to) {
#pragma GCC unroll 8
  for (int i = 0; i < Lanes::parts; ++i)
    __builtin_memcpy(to + i * Lanes::width, &a.part[i], sizeof(a.part[i]));
}

/// The sum of the eight lanes, added pairwise: lanes four apart, two apart, and neighbors.
SPEX_LANES_INLINE double sum_of_lanes(Lanes a) {
  typedef double Four __attribute__((vector_size(32)));
  typedef double Two __attribute__((vector_size(16)));
  Four half[2];
  __builtin_memcpy(half, &a, sizeof(a));
  const Four four = half[0] + half[1];
  const Two lower = __builtin_shufflevector(four, four, 0, 1);
  const Two two = lower + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}

/// max(a, 0) in each lane; 0 for NaN.
SPEX_LANES_INLINE Lanes positive_part(Lanes a) {
  SPEX_EACH_PART(reinterpret_cast<Lanes::Vector>(reinterpret_cast<Lanes::Bits>(a.part[i]) &
                                                 (a.part[i] > 0.0)));
}
/// The minimum in each lane; a if a or b is NaN.
SPEX_LANES_INLINE Lanes lesser(Lanes a, Lanes b) {
  Lanes r;
#pragma GCC unroll 8
  for (int i = 0; i < Lanes::parts; ++i) {
    const Lanes::Bits less = b.part[i] < a.part[i];
    r.part[i] = reinterpret_cast<Lanes::Vector>((reinterpret_cast<Lanes::Bits>(b.part[i]) & less) |
                                                (reinterpret_cast<Lanes::Bits>(a.part[i]) & ~less));
  }
  return r;
}
/// |a|.
SPEX_LANES_INLINE Lanes magnitude(Lanes a) {
  SPEX_EACH_PART(reinterpret_cast<Lanes::Vector>(reinterpret_cast<Lanes::Bits>(a.part[i]) &
                                                 0x7fffffffffffffffLL));
}
/// a with the sign of `sign`, for a >= 0.
SPEX_LANES_INLINE Lanes with_sign(Lanes a, Lanes sign) {
  SPEX_EACH_PART(reinterpret_cast<Lanes::Vector>(
      reinterpret_cast<Lanes::Bits>(a.part[i]) |
      (reinterpret_cast<Lanes::Bits>(sign.part[i]) & (-0x7fffffffffffffffLL - 1))));
}
/// a 2^n for scale = n + 1.5 2^52 with integer n; 2^n must be a normal number.
SPEX_LANES_INLINE Lanes times_power_of_two(Lanes a, Lanes scale) {
  SPEX_EACH_PART(
      reinterpret_cast<Lanes::Vector>(reinterpret_cast<Lanes::Bits>(a.part[i]) +
                                      (reinterpret_cast<Lanes::Bits>(scale.part[i]) << 52)));
}
#undef SPEX_EACH_PART

/// floor(a) for |a| < 2^51.
SPEX_LANES_INLINE Lanes floor(Lanes a) {
  constexpr double whole = 0x1.8p52;  // doubles of this size are integers
  const Lanes nearest = (a + whole) - whole;
  // The nearest integer may be above a: subtract 1 then.
  Lanes r;
#pragma GCC unroll 8
  for (int i = 0; i < Lanes::parts; ++i) {
    const Lanes::Vector one = Lanes::Vector{} + 1.0;
    r.part[i] =
        nearest.part[i] - reinterpret_cast<Lanes::Vector>(reinterpret_cast<Lanes::Bits>(one) &
                                                          (nearest.part[i] > a.part[i]));
  }
  return r;
}

}  // namespace spex::SPEX_INSTRUCTION_SET
