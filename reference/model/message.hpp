// Serialization of objects for messages between processes.
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

#include "reference/model/members.hpp"

namespace spex::message {

/// Types that are copied byte by byte.
template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

/// A vector or string of plain values.
template <class T>
concept PlainList = !Plain<T> && Plain<typename T::value_type> && requires(T & values) {
  values.resize(values.size());
};

/// Structs that are serialized field by field.
template <class T>
concept Compound = !Plain<T> && HasFields<T>;

/// Serializes plain values, vectors, strings and optionals of them, and structs of these types
/// (model/members.hpp). Appends to `bytes`; `take` deserializes.
template <Plain T>
void put(std::string& bytes, const T& value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

// Declared here because an optional struct needs it.
template <Compound T>
void put(std::string& bytes, const T& object);

/// Serializes a vector or string: its size, then its values.
template <PlainList Container>
void put(std::string& bytes, const Container& values) {
  put(bytes, values.size());
  const std::size_t at = bytes.size();
  const std::size_t size = values.size() * sizeof(typename Container::value_type);
  bytes.resize(at + size);
  if (size > 0) std::memcpy(bytes.data() + at, values.data(), size);
}

/// Serializes an optional value.
template <class T>
void put(std::string& bytes, const std::optional<T>& value) requires(!Plain<T>) {
  put(bytes, value.has_value());
  if (value) put(bytes, *value);
}

/// Serializes a struct, field by field.
template <Compound T>
void put(std::string& bytes, const T& object) {
  for_each_field(object, [&](const auto& field) { put(bytes, field); });
}

/// Removes the first `size` bytes and returns them. Throws std::logic_error if there are fewer.
inline std::string_view take_bytes(std::string_view& bytes, std::size_t size) {
  if (bytes.size() < size) throw std::logic_error("a message arrived cut short");
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

/// Deserializes a plain value from the front of `bytes`. Throws std::logic_error if the bytes are
/// cut short.
template <Plain T>
void take(std::string_view& bytes, T& value) {
  std::memcpy(&value, take_bytes(bytes, sizeof(T)).data(), sizeof(T));
}

// Declared here because an optional struct needs it.
template <Compound T>
void take(std::string_view& bytes, T& object);

/// Deserializes a vector or string.
template <PlainList Container>
void take(std::string_view& bytes, Container& values) {
  std::size_t count = 0;
  take(bytes, count);
  if (count > bytes.size()) throw std::logic_error("a message arrived cut short");
  values.resize(count);
  const std::string_view taken = take_bytes(bytes, count * sizeof(typename Container::value_type));
  if (count > 0) std::memcpy(values.data(), taken.data(), taken.size());
}

/// Deserializes an optional value.
template <class T>
void take(std::string_view& bytes, std::optional<T>& value) requires(!Plain<T>) {
  bool present = false;
  take(bytes, present);
  T taken{};  // not in place: GCC 14 warns of an uninitialized value there
  if (present) take(bytes, taken);
  value = present ? std::optional<T>(std::move(taken)) : std::nullopt;
}

/// Deserializes a struct, field by field.
template <Compound T>
void take(std::string_view& bytes, T& object) {
  for_each_field(object, [&](auto& field) { take(bytes, field); });
}

/// Serializes an object to a message.
template <class T>
[[nodiscard]] std::string pack(const T& object) {
  std::string bytes;
  put(bytes, object);
  return bytes;
}

/// Deserializes a message. Throws std::logic_error if the message does not contain exactly one T.
template <class T>
[[nodiscard]] T unpack(std::string_view bytes) {
  T object{};
  take(bytes, object);
  if (!bytes.empty()) throw std::logic_error("a message arrived with extra bytes");
  return object;
}

}  // namespace spex::message
