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
std::string in_python(std::string_view message) {
  std::string renamed;
  while (!message.empty()) {
    const bool may_start = renamed.empty() || renamed.back() == ' ' || renamed.back() == '(';
    const std::size_t length = may_start ? option_length(message) : 0;
    if (length == 0) {
      renamed += message.front();
      message.remove_prefix(1);
      continue;
    }
    const std::size_t begin = renamed.size();
    renamed += message.substr(2, length - 2);
    std::replace(renamed.begin() + static_cast<std::ptrdiff_t>(begin), renamed.end(), '-', '_');
    message.remove_prefix(length);
  }
  return renamed;
}

// Runs no code of Python, in which this thread could lose the interpreter's lock. If Python ends
// meanwhile, a thread that asks for the lock again is killed within C++ frames.
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
