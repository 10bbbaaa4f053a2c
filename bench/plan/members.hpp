// Conversion of plain structs to JSON and back. A struct names its members once, by SPEX_MEMBERS,
// or by SPEX_ROWS, which also describes them for a schema (bench/plan/json_schema.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reference/core/error.hpp"
#include "reference/model/members.hpp"

#define SPEX_VISIT_ROW(row) SPEX_VISIT_PARTS row
#define SPEX_VISIT_PARTS(name, ...) visit(#name, object.name __VA_OPT__(, ) __VA_ARGS__);

/// Inside a struct: rows (name, facts...) of the members that JSON has under the same names. A fact
/// is a description, or a type below. Defines `members(object, visit)`, which calls visit(name,
/// member, facts...) for each.
#define SPEX_ROWS(...)                             \
  template <class S, class V>                      \
  static void members(S& object, const V& visit) { \
    SPEX_FOR_EACH(SPEX_VISIT_ROW, __VA_ARGS__)     \
  }

namespace spex::bench {

/// The values that a member may have.
template <class T, std::size_t Size>
struct OneOf {
  std::array<T, Size> values;
};
template <class... T>
[[nodiscard]] constexpr auto one_of(T... values) {
  return OneOf<std::common_type_t<T...>, sizeof...(T)>{{values...}};
}
/// The smallest or largest number, or the smallest size of a text or list.
struct Minimum {
  int value;
};
struct Maximum {
  int value;
};
/// What texts match.
struct Pattern {
  const char* regex;
};
inline constexpr Pattern sha256_form{"^[0-9a-f]{64}$"};
inline constexpr Pattern utc_form{R"(^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$)"};
/// A number or a text, for a member of any JSON.
struct NumberOrText {};
/// The member is optional, and older results do not have it.
struct AddedLater {};
inline constexpr AddedLater added_later;

template <class T>
concept HasMembers = requires(T& object) {
  T::members(object, [](const char*, auto&, const auto&...) {});
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

/// The JSON type of T as named in errors.
template <class T>
inline constexpr const char* json_name = is_vector<T>                  ? "list"
                                         : std::is_same_v<T, bool>     ? "boolean"
                                         : std::is_integral_v<T>       ? "whole number"
                                         : std::is_floating_point_v<T> ? "number"
                                                                       : "text";
/// Whether a JSON value has the type of T; for a list, whether each value has.
template <class T>
[[nodiscard]] bool is_json_of(const nlohmann::ordered_json& json) {
  if constexpr (is_vector<T>)
    return json.is_array() &&
           std::all_of(json.begin(), json.end(), is_json_of<typename T::value_type>);
  else if constexpr (std::is_same_v<T, nlohmann::ordered_json>)
    return true;
  else if constexpr (std::is_same_v<T, bool>)
    return json.is_boolean();
  else if constexpr (std::is_integral_v<T>)
    return json.is_number_integer();
  else if constexpr (std::is_floating_point_v<T>)
    return json.is_number();
  else
    return json.is_string();
}

/// A value as JSON: an object of its members; null for an empty optional.
template <class T>
[[nodiscard]] nlohmann::ordered_json json_of(const T& value) {
  using Json = nlohmann::ordered_json;
  if constexpr (is_optional<T>) {
    return value ? json_of(*value) : Json();
  } else if constexpr (is_vector<T>) {
    Json list = Json::array();
    for (const auto& element : value) list.push_back(json_of(element));
    return list;
  } else if constexpr (is_map<T>) {
    Json object = Json::object();
    for (const auto& [key, element] : value) object[key] = json_of(element);
    return object;
  } else if constexpr (HasMembers<T>) {
    Json object = Json::object();
    T::members(value, [&](const char* name, const auto& member, const auto&...) {
      object[name] = json_of(member);
    });
    return object;
  } else {
    return Json(value);
  }
}

/// Reads what json_of wrote. Throws Error(data), which names `where`, if a member is missing,
/// unknown or of another type. An optional member may be missing, because older results do not have
/// it.
template <class T>
void read_json_of(const nlohmann::ordered_json& json, T& value, const std::string& where) {
  using Json = nlohmann::ordered_json;
  const auto need = [&](bool is, const char* what) {
    if (!is) throw data_error(where, "is not " + std::string(what), "a file of spex-bench");
  };
  if constexpr (is_optional<T>) {
    value.reset();
    if (!json.is_null()) read_json_of(json, value.emplace(), where);
  } else if constexpr (is_vector<T>) {
    need(json.is_array(), "a list");
    value.clear();
    for (const Json& element : json) {
      const std::string name = fmt::format("{}/{}", where, value.size());
      read_json_of(element, value.emplace_back(), name);
    }
  } else if constexpr (is_map<T>) {
    need(json.is_object(), "an object");
    value.clear();
    for (const auto& [key, element] : json.items())
      read_json_of(element, value[key], fmt::format("{}/{}", where, key));
  } else if constexpr (HasMembers<T>) {
    need(json.is_object(), "an object");
    std::size_t known = 0;
    T::members(value, [&](const char* name, auto& member, const auto&...) {
      const bool is_there = json.contains(name);
      need(is_there || is_optional<std::remove_reference_t<decltype(member)>>,
           (std::string("an object with ") + name).c_str());
      read_json_of(is_there ? json.at(name) : Json(), member, fmt::format("{}/{}", where, name));
      known += is_there ? 1 : 0;
    });
    need(json.size() == known, "an object of only these members");
  } else {
    need(is_json_of<T>(json), (std::string("a ") + json_name<T>).c_str());
    value = json.get<T>();
  }
}

}  // namespace spex::bench
