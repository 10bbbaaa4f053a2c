// Converts messages (model/message.hpp) to Python's bytes for pickle, and back.
#pragma once

#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

namespace spex::python {

/// The message as bytes.
[[nodiscard]] inline nanobind::bytes as_bytes(const std::string& message) {
  return nanobind::bytes(message.data(), message.size());
}

/// A view of the message in `bytes`, which must outlive it.
[[nodiscard]] inline std::string_view text_of(nanobind::handle bytes) {
  const auto object = nanobind::cast<nanobind::bytes>(bytes);
  return {object.c_str(), object.size()};
}

}  // namespace spex::python
