#include <algorithm>
#include <exception>
#include <string>
#include <string_view>

#include "reference/core/error.hpp"
#include "reference/python/bindings.hpp"
#include "reference/python/without_gil.hpp"

namespace spex::python {
namespace {

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "UsageError";
    case ErrorKind::data:
      return "DataError";
    case ErrorKind::device:
    case ErrorKind::no_gpu:
      return "DeviceError";
    case ErrorKind::internal:
      return "InternalError";
  }
  return "Error";
}

// Length of the option at the start of the text, such as 7 of "--nspec: ...". 0 if there is none.
std::size_t option_length(std::string_view text) {
  if (!text.starts_with("--")) return 0;
  text.remove_prefix(2);
  const std::size_t end =
      std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), text.size());
  const std::string_view name = text.substr(0, end), rest = text.substr(end);
  if (name.empty() || name.front() == '-' || name.back() == '-') return 0;
  if (name.find("--") != std::string_view::npos) return 0;
  return rest.empty() || rest.find_first_of(":, )") == 0 ? 2 + end : 0;
}

// The message with Python's names of options: nspec for --nspec. Not by std::regex: where libstdc++
// is linked into the module, its locales do not work.
std::string in_python(std::string message) {
  for (std::size_t at = 0; (at = message.find("--", at)) != std::string::npos;) {
    const bool may_start = at == 0 || message[at - 1] == ' ' || message[at - 1] == '(';
    const std::size_t length = may_start ? option_length(std::string_view(message).substr(at)) : 0;
    if (length == 0) {
      ++at;
      continue;
    }
    const auto option = message.begin() + static_cast<std::ptrdiff_t>(at);
    std::replace(option + 2, option + static_cast<std::ptrdiff_t>(length), '-', '_');
    message.erase(at, 2);
    at += length - 2;
  }
  return message;
}

// Runs no Python code: within it this thread could lose the interpreter's lock. If Python then
// ends, a thread that asks for the lock is killed within C++ frames (without_gil.hpp).
void raise(const char* name, const std::exception& error) {
  const auto errors = nanobind::module_::import_("spexbench.errors");
  const std::string text = in_python(error.what());
  const auto message = nanobind::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  PyErr_SetObject(errors.attr(name).ptr(), message.ptr());
}

void translate(const std::exception_ptr& failure, void* /*unused*/) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    raise(class_of(error.kind()), error);
  } catch (const Stopped& stopped) {
    raise("StoppedError", stopped);
  }
}

}  // namespace

void bind_errors(nanobind::module_& /*module*/) {
  nanobind::register_exception_translator(translate);
}

}  // namespace spex::python
