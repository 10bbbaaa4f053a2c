// A plain struct described once, beside its definition: what sends, gathers, uploads or compares it
// goes over its fields, and copies none of them by name.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

namespace spex {

/// T, const or not: what `fields` of T takes.
template <class P, class T>
concept MaybeConst = std::same_as<std::remove_const_t<P>, T>;

/// A struct with a function `fields(object)`: references to all its members, in their order, as a
/// tuple. `fields` takes the struct apart by a structured binding, so that a member which is
/// missing there does not compile.
template <class T>
concept Described = requires(T& object) {
  fields(object);
};

/// visit(field) for every field of `object`, in order.
template <Described T, class Visit>
void for_each_field(T& object, const Visit& visit) {
  std::apply([&](auto&... field) { (visit(field), ...); }, fields(object));
}

}  // namespace spex
