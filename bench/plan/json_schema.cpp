#include "bench/plan/json_schema.hpp"

#include <cstdlib>
#include <memory>
#include <typeinfo>

#include <cxxabi.h>
#include <fmt/format.h>

namespace spex::bench {

std::string SchemaMaker::name_of(const std::type_info& type) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr), &std::free);
  const std::string full = name ? name.get() : type.name();
  return full.substr(full.rfind(':') + 1);
}

SchemaMaker::Json SchemaMaker::or_null(Json schema) {
  if (!schema.contains("type")) return {{"anyOf", {schema, {{"type", "null"}}}}};
  schema["type"] = {schema.at("type"), "null"};
  return schema;
}

void SchemaMaker::add(Minimum least, Json& schema, bool& /*is_required*/) {
  const Json& type = schema.at("type");
  const char* const key = type == "string" ? "minLength" : type == "array" ? "minItems" : "minimum";
  schema[key] = least.value;
}

std::string schema_text(const std::string& title, const nlohmann::ordered_json& id,
                        nlohmann::ordered_json object, const nlohmann::ordered_json& definitions) {
  object["required"].insert(object["required"].begin(), "schema");
  object["properties"]["schema"] = {{"const", id}};
  std::string text = fmt::format(
      "{{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n\"title\": "
      "\"{}\",\n",
      title);
  for (const auto& [key, value] : object.items())
    text += fmt::format("\"{}\": {},\n", key, value.dump());
  text += "\"$defs\": {\n";
  std::size_t left = definitions.size();
  for (const auto& [name, schema] : definitions.items())
    text += fmt::format("\"{}\": {}{}\n", name, schema.dump(), --left > 0 ? "," : "");
  return text + "}\n}\n";
}

}  // namespace spex::bench
