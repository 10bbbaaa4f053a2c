// JSON schemas of files, made from the rows of their structs.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/plan/members.hpp"

namespace spex::bench {

/// Makes the schemas of types. A struct becomes a definition with its name.
class SchemaMaker {
 public:
  using Json = nlohmann::ordered_json;

  /// The schema of a T in JSON, as json_of makes it.
  template <class T>
  [[nodiscard]] Json of() {
    if constexpr (is_optional<T>)
      return or_null(of<typename T::value_type>());
    else if constexpr (is_vector<T>)
      return {{"type", "array"}, {"items", of<typename T::value_type>()}};
    else if constexpr (is_map<T>)
      return {{"type", "object"}, {"additionalProperties", of<typename T::mapped_type>()}};
    else if constexpr (HasMembers<T>)
      return defined<T>();
    else if constexpr (std::same_as<T, Json>)
      return Json::object();
    else
      return {{"type", type_name<T>()}};
  }

  /// The schema of an object with the members of T and no others.
  template <class T>
  [[nodiscard]] Json object_of() {
    Json required = Json::array(), properties = Json::object();
    T object{};
    T::members(object, [&](const char* name, const auto& member, const auto&... facts) {
      Json schema = of<std::remove_cvref_t<decltype(member)>>();
      bool is_required = true;
      (add(facts, schema, is_required), ...);
      if (is_required) required.push_back(name);
      properties[name] = schema;
    });
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", required},
            {"properties", properties}};
  }

  /// The definitions of all structs so far.
  [[nodiscard]] const Json& definitions() const { return definitions_; }

 private:
  template <class T>
  [[nodiscard]] static const char* type_name() {
    if constexpr (std::same_as<T, bool>) return "boolean";
    if constexpr (std::integral<T>) return "integer";
    if constexpr (std::floating_point<T>) return "number";
    return "string";
  }

  template <class T>
  [[nodiscard]] Json defined() {
    const std::string name = name_of(typeid(T));
    if (!definitions_.contains(name)) definitions_[name] = object_of<T>();
    return {{"$ref", "#/$defs/" + name}};
  }

  // The name of a struct without its namespaces.
  [[nodiscard]] static std::string name_of(const std::type_info& type);
  [[nodiscard]] static Json or_null(Json schema);

  static void add(const char* description, Json& schema, bool& /*is_required*/) {
    schema["description"] = description;
  }
  template <class T, std::size_t Size>
  static void add(const OneOf<T, Size>& words, Json& schema, bool& is_required) {
    add(std::vector<T>(words.values.begin(), words.values.end()), schema, is_required);
  }
  // Words that a function lists.
  static void add(std::vector<std::string> (*words)(), Json& schema, bool& is_required) {
    add(words(), schema, is_required);
  }
  template <class T>
  static void add(const std::vector<T>& values, Json& schema, bool& /*is_required*/) {
    Json all = values;
    if (schema.at("type").is_array()) all.push_back(nullptr);
    schema["enum"] = all;
  }
  static void add(Minimum least, Json& schema, bool& is_required);
  static void add(Maximum most, Json& schema, bool& /*is_required*/) {
    schema["maximum"] = most.value;
  }
  static void add(Pattern pattern, Json& schema, bool& /*is_required*/) {
    // Of a map, the values match.
    Json& text = schema.contains("additionalProperties") ? schema["additionalProperties"] : schema;
    text["pattern"] = pattern.regex;
  }
  static void add(NumberOrText /*either*/, Json& schema, bool& /*is_required*/) {
    schema["type"] = {"number", "string"};
  }
  static void add(AddedLater /*later*/, Json& /*schema*/, bool& is_required) {
    is_required = false;
  }

  Json definitions_ = Json::object();
};

/// The schema of a file whose JSON has the member `schema` with the value `id`, and the members of
/// T; one line for each struct.
[[nodiscard]] std::string schema_text(const std::string& title, const nlohmann::ordered_json& id,
                                      nlohmann::ordered_json object,
                                      const nlohmann::ordered_json& definitions);

template <class T>
[[nodiscard]] std::string schema_of(const std::string& title, const nlohmann::ordered_json& id) {
  SchemaMaker maker;
  nlohmann::ordered_json object = maker.object_of<T>();
  return schema_text(title, id, std::move(object), maker.definitions());
}

}  // namespace spex::bench
