#include <algorithm>
#include <exception>
#include <regex>
#include <string>

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

// The message with Python's names of options: nspec for --nspec.
std::string in_python(const std::string& message) {
  static const std::regex option(R"((^|[ (])--([a-z0-9]+(-[a-z0-9]+)*)(?=[:, )]|$))");
  std::string made;
  auto from = message.begin();
  for (std::sregex_iterator found(message.begin(), message.end(), option), end; found != end;
       ++found) {
    std::string name = (*found)[2];
    std::replace(name.begin(), name.end(), '-', '_');
    made.append(from, (*found)[0].first).append((*found)[1]).append(name);
    from = (*found)[0].second;
  }
  return made.append(from, message.end());
}

void raise(const char* name, const std::exception& error) {
  const auto type = nanobind::module_::import_("spexbench.errors").attr(name);
  PyErr_SetString(type.ptr(), in_python(error.what()).c_str());
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
