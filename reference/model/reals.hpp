// Pixels of an image, as precise as their file has them.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace spex {

/// A vector of double, or of float where the file has no more than that: half the memory, and half
/// the time to read and to send. A float is widened to double before any arithmetic.
class Reals {
 public:
  Reals() = default;
  explicit Reals(std::vector<double> values) : values_(std::move(values)) {}  ///< kept in double
  explicit Reals(std::vector<float> values) : values_(std::move(values)) {}   ///< kept in float

  /// f(std::vector<float>&) or f(std::vector<double>&), whichever it is.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), values_);
  }
  /// The same, to change them.
  template <class F>
  decltype(auto) visit(F&& f) {
    return std::visit(std::forward<F>(f), values_);
  }

  /// How many numbers there are.
  [[nodiscard]] std::size_t size() const {
    return visit([](const auto& values) { return values.size(); });
  }
  /// nullptr where the numbers are of the other type.
  [[nodiscard]] const std::vector<float>* single_values() const {
    return std::get_if<std::vector<float>>(&values_);
  }
  /// nullptr where the numbers are of the other type.
  [[nodiscard]] const std::vector<double>* double_values() const {
    return std::get_if<std::vector<double>>(&values_);
  }

  /// One number. Loops over many do better with visit().
  [[nodiscard]] double operator[](std::size_t i) const {
    return visit([i](const auto& values) { return static_cast<double>(values[i]); });
  }
  /// Number i becomes `value`, rounded where the numbers are float.
  void set(std::size_t i, double value) {
    visit([&](auto& values) {
      values[i] = static_cast<typename std::decay_t<decltype(values)>::value_type>(value);
    });
  }

  friend bool operator==(const Reals&, const Reals&) = default;  ///< of the same type and values

 private:
  std::variant<std::vector<double>, std::vector<float>> values_;
};

}  // namespace spex
