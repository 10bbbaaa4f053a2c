// Eight numbers side by side, which arithmetic treats alike: spectra, wavelengths or pixels.
//
// For sources of kernels alone (spex_add_lanes): the macro SPEX_INSTRUCTION_SET is the namespace of
// the instruction set that the source is compiled for. Such a source must call no inline function
// outside of that namespace that is not made for Lanes: the linker could take this set's for all.
// Every operation is that of IEEE 754 in each lane, so that all sets give the same bits.
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
  /// The same number in all lanes.
  SPEX_LANES_INLINE Lanes(double a) {
    for (Vector& p : part) p = a - Vector{};  // a + 0 would be an addition, as -0 + 0 is not -0
  }
};

/// The number of `f(part of a, part of b, ...)` for each part.
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

/// From numbers in a row, at any address.
SPEX_LANES_INLINE Lanes load(const double* from) {
  Lanes a;  // by parts: a whole struct would be copied through memory
#pragma GCC unroll 8
  for (int i = 0; i < Lanes::parts; ++i)
    __builtin_memcpy(&a.part[i], from + i * Lanes::width, sizeof(a.part[i]));
  return a;
}
/// To numbers in a row, at any address.
SPEX_LANES_INLINE void store(Lanes a, double* to) {
#pragma GCC unroll 8
  for (int i = 0; i < Lanes::parts; ++i)
    __builtin_memcpy(to + i * Lanes::width, &a.part[i], sizeof(a.part[i]));
}

/// The eight numbers of a, summed as a tree.
SPEX_LANES_INLINE double sum_of_lanes(Lanes a) {
  double k[Lanes::count];
  store(a, k);
  return ((k[0] + k[4]) + (k[2] + k[6])) + ((k[1] + k[5]) + (k[3] + k[7]));
}

/// a where a > 0, else 0: of NaN, too.
SPEX_LANES_INLINE Lanes positive_part(Lanes a) {
  SPEX_EACH_PART(reinterpret_cast<Lanes::Vector>(reinterpret_cast<Lanes::Bits>(a.part[i]) &
                                                 (a.part[i] > 0.0)));
}
/// The lesser of each, a where they do not compare.
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
/// a with the sign of `sign`; a is not negative.
SPEX_LANES_INLINE Lanes with_sign(Lanes a, Lanes sign) {
  SPEX_EACH_PART(reinterpret_cast<Lanes::Vector>(
      reinterpret_cast<Lanes::Bits>(a.part[i]) |
      (reinterpret_cast<Lanes::Bits>(sign.part[i]) & (-0x7fffffffffffffffLL - 1))));
}
/// Where scale is a whole number n plus 1.5 2^52: a 2^n, of a 2^n that is a normal number.
SPEX_LANES_INLINE Lanes times_power_of_two(Lanes a, Lanes scale) {
  SPEX_EACH_PART(
      reinterpret_cast<Lanes::Vector>(reinterpret_cast<Lanes::Bits>(a.part[i]) +
                                      (reinterpret_cast<Lanes::Bits>(scale.part[i]) << 52)));
}
#undef SPEX_EACH_PART

/// The largest whole number that is not above a; |a| < 2^51.
SPEX_LANES_INLINE Lanes floor(Lanes a) {
  constexpr double whole = 0x1.8p52;  // numbers of this size are whole
  const Lanes nearest = (a + whole) - whole;
  // Above a by a half at most: one less then.
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
