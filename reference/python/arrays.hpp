// Conversion between vectors and NumPy arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "reference/core/error.hpp"
#include "reference/model/reals.hpp"

namespace spex::python {

/// An array from Python: any type and shape, in C order, read-only.
using AnyArray = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;

/// An array of `shape` that takes ownership of the vector's memory, without a copy.
template <class T>
[[nodiscard]] nanobind::ndarray<nanobind::numpy, T> as_array(
    std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* const held = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(
      held, [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
  return {held->data(), shape, owner};
}

/// A read-only view of a vector that `owner` keeps alive.
template <class T>
[[nodiscard]] nanobind::ndarray<nanobind::numpy, const T> as_view(
    const std::vector<T>& values, std::initializer_list<std::size_t> shape,
    nanobind::handle owner) {
  return {values.data(), shape, owner};
}

/// Throws Error(usage) unless `array` has the shape; `name` is its name in errors.
inline void check_shape(const AnyArray& array, const std::string& name,
                        std::initializer_list<std::size_t> shape) {
  std::vector<std::size_t> has(array.ndim());
  for (std::size_t d = 0; d < has.size(); ++d) has[d] = array.shape(d);
  if (!std::equal(has.begin(), has.end(), shape.begin(), shape.end()))
    throw usage_error(name, fmt::format("has the shape {}", fmt::join(has, " x ")),
                      fmt::format("{}", fmt::join(shape, " x ")));
}

/// Copies an array of T. Throws Error(usage) for another type.
template <class T>
[[nodiscard]] std::vector<T> values_of(const AnyArray& array, const std::string& name) {
  if (array.dtype() != nanobind::dtype<T>())
    throw usage_error(
        name, "is an array of another type",
        fmt::format("{} of {} bytes", std::is_integral_v<T> ? "integers" : "floating-point numbers",
                    sizeof(T)));
  const T* const first = static_cast<const T*>(array.data());
  return {first, first + array.size()};
}

/// Copies an array of float or double, keeping its precision.
[[nodiscard]] inline Reals reals_of(const AnyArray& array, const std::string& name) {
  if (array.dtype() == nanobind::dtype<float>()) return Reals(values_of<float>(array, name));
  return Reals(values_of<double>(array, name));
}

}  // namespace spex::python
