// Objects as bytes, on their way from one process to another.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/model/fields.hpp"

namespace spex::message {

/// Copied byte by byte.
template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

/// A vector or string of plain values.
template <class T>
concept PlainList = !Plain<T> && Plain<typename T::value_type> && requires(T & values) {
  values.resize(values.size());
};

/// A struct that travels field by field.
template <class T>
concept Compound = !Plain<T> && Described<T>;

/// Appends to `bytes` what `take` makes an equal object of: plain values, vectors and strings of
/// them, optional ones, and structs of such (model/fields.hpp).
template <Plain T>
void put(std::string& bytes, const T& value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

// Defined below; an optional struct needs it.
template <Compound T>
void put(std::string& bytes, const T& object);

/// The same of a vector or string: how many, and the values.
template <PlainList Container>
void put(std::string& bytes, const Container& values) {
  put(bytes, values.size());
  const std::size_t at = bytes.size();
  const std::size_t size = values.size() * sizeof(typename Container::value_type);
  bytes.resize(at + size);
  if (size > 0) std::memcpy(bytes.data() + at, values.data(), size);
}

/// The same of what may be absent.
template <class T>
void put(std::string& bytes, const std::optional<T>& value) requires(!Plain<T>) {
  put(bytes, value.has_value());
  if (value) put(bytes, *value);
}

/// The same of a struct, field by field.
template <Compound T>
void put(std::string& bytes, const T& object) {
  for_each_field(object, [&](const auto& field) { put(bytes, field); });
}

/// Takes the first `size` bytes off. Throws std::logic_error where there are fewer.
inline std::string_view take_bytes(std::string_view& bytes, std::size_t size) {
  if (bytes.size() < size) throw std::logic_error("a message arrived cut short");
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

/// Takes a plain value off the front of `bytes`. Throws std::logic_error where they are cut short.
template <Plain T>
void take(std::string_view& bytes, T& value) {
  std::memcpy(&value, take_bytes(bytes, sizeof(T)).data(), sizeof(T));
}

// Defined below; an optional struct needs it.
template <Compound T>
void take(std::string_view& bytes, T& object);

/// The same of a vector or string.
template <PlainList Container>
void take(std::string_view& bytes, Container& values) {
  std::size_t count = 0;
  take(bytes, count);
  if (count > bytes.size()) throw std::logic_error("a message arrived cut short");
  values.resize(count);
  const std::string_view taken = take_bytes(bytes, count * sizeof(typename Container::value_type));
  if (count > 0) std::memcpy(values.data(), taken.data(), taken.size());
}

/// The same of what may be absent.
template <class T>
void take(std::string_view& bytes, std::optional<T>& value) requires(!Plain<T>) {
  bool present = false;
  take(bytes, present);
  T taken{};  // rather than in place, of which GCC 14 believes that it may hold nothing
  if (present) take(bytes, taken);
  value = present ? std::optional<T>(std::move(taken)) : std::nullopt;
}

/// The same of a struct, field by field.
template <Compound T>
void take(std::string_view& bytes, T& object) {
  for_each_field(object, [&](auto& field) { take(bytes, field); });
}

/// One object as a message.
template <class T>
[[nodiscard]] std::string pack(const T& object) {
  std::string bytes;
  put(bytes, object);
  return bytes;
}

/// The object of a message. Throws std::logic_error where the message is not of just that.
template <class T>
[[nodiscard]] T unpack(std::string_view bytes) {
  T object{};
  take(bytes, object);
  if (!bytes.empty()) throw std::logic_error("a message arrived with something after its end");
  return object;
}

}  // namespace spex::message
