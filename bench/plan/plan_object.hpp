// JSON objects of a plan, which report errors with their location.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/plan/entry.hpp"
#include "bench/plan/members.hpp"
#include "bench/plan/plan_words.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {

/// A JSON object of the plan. Failures throw Error(usage), which names the file and the object.
class PlanObject {
 public:
  /// `json` must outlive this object. `path` is the plan's file; `where` is for example "case
  /// small", or "" for the whole plan.
  PlanObject(const nlohmann::ordered_json& json, std::string path, std::string where)
      : json_(json), path_(std::move(path)), where_(std::move(where)) {
    if (!json.is_object()) fail("is not an object", "{...}");
  }

  /// Reads a member, if present, of the type of `value`.
  template <class T>
  void get(const char* key, T& value) const {
    if (!has(key)) return;
    const nlohmann::ordered_json& given = json_.at(key);
    if (!is_json_of<T>(given))
      fail(fmt::format("'{}' is {}", key, given.dump()), std::string("a ") + json_name<T>);
    if constexpr (std::is_same_v<T, int>)
      if (std::abs(given.get<double>()) > max_number)
        fail(fmt::format("'{}' is {}", key, given.dump()), "at most a million");
    value = given.get<T>();
  }
  template <class T>
  void get(const char* key, std::optional<T>& value) const {
    if (has(key)) get(key, value.emplace());
  }
  /// The same; the member must be `minimum` or more.
  template <class T>
  void get(const char* key, T& value, int minimum) const {
    get(key, value);
    at_least(key, value, minimum);
  }
  /// The same; the member must be one of `words`.
  template <std::size_t Size>
  void get(const char* key, std::string& value, const OneOf<const char*, Size>& words) const {
    get(key, value);
    if (std::find(words.values.begin(), words.values.end(), value) == words.values.end())
      fail(fmt::format("'{}' is {}", key, value), fmt::format("{}", fmt::join(words.values, ", ")));
  }
  /// Fails if one of these members is missing.
  void require(std::initializer_list<const char*> keys) const {
    for (const char* key : keys)
      if (!has(key)) fail(fmt::format("has no '{}'", key), "one");
  }
  [[nodiscard]] bool has(const char* key) const {
    known_.insert(key);
    return json_.contains(key);
  }
  [[nodiscard]] PlanObject at(const char* key) const {
    return {json_.at(key), path_, where_.empty() ? key : where_ + " " + key};
  }
  /// Fails if there are members that were not read or queried before.
  void no_others() const {
    for (const auto& [key, value] : json_.items())
      if (!known_.contains(key))
        fail(fmt::format("'{}' is unknown", key), fmt::format("{}", fmt::join(known_, ", ")));
  }
  [[nodiscard]] const nlohmann::ordered_json& json() const { return json_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Fails if the value is present and smaller than `minimum`.
  void at_least(const char* key, std::optional<int> value, int minimum) const {
    if (value && *value < minimum)
      fail(fmt::format("'{}' is {}", key, *value), fmt::format("{} or more", minimum));
  }
  /// Fails unless the value is positive.
  void positive(const char* key, double value) const {
    if (!(value > 0)) fail(fmt::format("'{}' is {:g}", key, value), "more than 0");
  }
  /// Fails if `name` cannot name files and folders.
  void plain_name(const char* what, const std::string& name) const {
    static const std::regex plain("[a-z0-9][a-z0-9.-]{0,99}");
    if (!std::regex_match(name, plain))
      fail(fmt::format("the {} '{}' cannot name a file", what, name),
           "a-z, 0-9, - and ., a letter or digit first, at most 100");
  }
  /// Throws Error(usage): the fault, and what was expected.
  [[noreturn]] void fail(const std::string& wrong, const std::string& expected) const {
    throw usage_error(path_, where_.empty() ? wrong : where_ + ": " + wrong, expected);
  }

 private:
  static constexpr double max_number = 1e6;

  const nlohmann::ordered_json& json_;
  std::string path_;
  std::string where_;
  mutable std::set<std::string> known_;  // members that were read or queried
};

/// Parses the entry's `options`. Throws Error(usage) if the extractor does not have them, they do
/// not change output values, or spex-bench sets them itself.
[[nodiscard]] FrameOptions parse_options(const Entry& entry, const PlanObject& object);

/// Throws Error(usage) if the extractor does not have the entry's `run_options`, or they change
/// output values. Extractors of the division `optimized` may have other options.
void check_run_options(const Entry& entry, const std::string& division, const PlanObject& object);

/// Throws Error(usage) unless each camera of the case sees the wavelengths that the entry asks for:
/// spex-sim knows the true flux only there.
void check_wavelengths(const Entry& entry, const Case& plan_case, const PlanObject& root);

/// Replaces the values "cpus" of a plan's sweeps by 1, 2, 4, ... up to the CPUs of this node;
/// returns whether there were any.
[[nodiscard]] bool choose_values(nlohmann::ordered_json& plan);

/// The entries of `object`: `entry` itself, or one entry per value if it has a `sweep`. Throws
/// Error(usage).
[[nodiscard]] std::vector<Entry> resolve_sweep(const Entry& entry, const PlanObject& object);

}  // namespace spex::bench
