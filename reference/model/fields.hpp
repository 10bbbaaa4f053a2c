// Lists the fields of a plain struct once, next to its definition, for code that sends, gathers,
// uploads or compares all fields.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

namespace spex {

/// T or const T, the parameter of `fields`.
template <class P, class T>
concept MaybeConst = std::same_as<std::remove_const_t<P>, T>;

/// A struct with a function `fields(object)` that returns a tuple of references to all members, in
/// order. `fields` uses a structured binding, so that a missing member does not compile.
template <class T>
concept Described = requires(T& object) {
  fields(object);
};

/// Calls visit(field) for every field of `object`, in order.
template <Described T, class Visit>
void for_each_field(T& object, const Visit& visit) {
  std::apply([&](auto&... field) { (visit(field), ...); }, fields(object));
}

}  // namespace spex
