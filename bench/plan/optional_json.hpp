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

/// The value of a key, or nothing where it is null. Throws nlohmann::json::exception where the key
/// is missing or of another type.
template <class T>
[[nodiscard]] std::optional<T> optional_at(const nlohmann::ordered_json& json, const char* key) {
  if (json.at(key).is_null()) return std::nullopt;
  return json.at(key).get<T>();
}

}  // namespace spex::bench
