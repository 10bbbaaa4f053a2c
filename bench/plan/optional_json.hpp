// JSON of values that may not be known.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace spex::bench {

/// The value, or null where there is none.
template <class T>
[[nodiscard]] nlohmann::ordered_json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

}  // namespace spex::bench
