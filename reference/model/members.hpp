// The members of a plain struct, named once, in the struct, for code that sends, compares, writes
// or describes all of them.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

// Applies `macro` to each argument, of at most 64.
#define SPEX_PARENS ()
#define SPEX_EXPAND(...) SPEX_EXPAND_3(SPEX_EXPAND_3(SPEX_EXPAND_3(SPEX_EXPAND_3(__VA_ARGS__))))
#define SPEX_EXPAND_3(...) SPEX_EXPAND_2(SPEX_EXPAND_2(SPEX_EXPAND_2(SPEX_EXPAND_2(__VA_ARGS__))))
#define SPEX_EXPAND_2(...) SPEX_EXPAND_1(SPEX_EXPAND_1(SPEX_EXPAND_1(SPEX_EXPAND_1(__VA_ARGS__))))
#define SPEX_EXPAND_1(...) __VA_ARGS__
#define SPEX_FOR_EACH(macro, ...) __VA_OPT__(SPEX_EXPAND(SPEX_FOR_EACH_NEXT(macro, __VA_ARGS__)))
#define SPEX_FOR_EACH_NEXT(macro, first, ...) \
  macro(first) __VA_OPT__(SPEX_FOR_EACH_AGAIN SPEX_PARENS(macro, __VA_ARGS__))
#define SPEX_FOR_EACH_AGAIN() SPEX_FOR_EACH_NEXT

#define SPEX_VISIT(name) visit(#name, object.name);

/// Inside a struct: its members. Defines two functions of the struct. `members(object, visit)`
/// calls visit(name, member) for each. `fields(object)` is a tuple of references to all, in the
/// order of the struct; if one is missing, it does not compile.
#define SPEX_MEMBERS(...)                          \
  template <class S, class V>                      \
  static void members(S& object, const V& visit) { \
    SPEX_FOR_EACH(SPEX_VISIT, __VA_ARGS__)         \
  }                                                \
  template <class S>                               \
  static auto fields(S& object) {                  \
    auto& [__VA_ARGS__] = object;                  \
    return std::tie(__VA_ARGS__);                  \
  }

namespace spex {

/// A struct with SPEX_MEMBERS, or a const one.
template <class T>
concept HasFields = requires(T& object) {
  std::remove_const_t<T>::fields(object);
};

/// References to all members of `object`.
template <HasFields T>
[[nodiscard]] auto fields(T& object) {
  return std::remove_const_t<T>::fields(object);
}

/// Calls visit(member) for every member of `object`.
template <HasFields T, class Visit>
void for_each_field(T& object, const Visit& visit) {
  std::apply([&](auto&... field) { (visit(field), ...); }, fields(object));
}

}  // namespace spex
