// Pixels of an image, in the precision of their file.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace spex {

/// A vector of double, or of float if the file stores float: half the memory, and half the time to
/// read and send. Values are converted to double before any arithmetic.
class Reals {
 public:
  Reals() = default;
  explicit Reals(std::vector<double> values) : values_(std::move(values)) {}  ///< stores double
  explicit Reals(std::vector<float> values) : values_(std::move(values)) {}   ///< stores float

  /// Calls f with the std::vector<float> or std::vector<double>.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), values_);
  }
  /// The mutable version.
  template <class F>
  decltype(auto) visit(F&& f) {
    return std::visit(std::forward<F>(f), values_);
  }

  /// The number of values.
  [[nodiscard]] std::size_t size() const {
    return visit([](const auto& values) { return values.size(); });
  }
  /// The values if they are float, else nullptr.
  [[nodiscard]] const std::vector<float>* single_values() const {
    return std::get_if<std::vector<float>>(&values_);
  }
  /// The values if they are double, else nullptr.
  [[nodiscard]] const std::vector<double>* double_values() const {
    return std::get_if<std::vector<double>>(&values_);
  }

  /// Value i. Use visit() in loops over many values.
  [[nodiscard]] double operator[](std::size_t i) const {
    return visit([i](const auto& values) { return static_cast<double>(values[i]); });
  }
  /// Sets value i, rounded to float if the values are float.
  void set(std::size_t i, double value) {
    visit([&](auto& values) {
      values[i] = static_cast<typename std::decay_t<decltype(values)>::value_type>(value);
    });
  }

  friend bool operator==(const Reals&,
                         const Reals&) = default;  ///< equal if types and values are equal

 private:
  std::variant<std::vector<double>, std::vector<float>> values_;
};

}  // namespace spex
