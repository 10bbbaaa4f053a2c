#include <exception>

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

void raise(const char* name, const std::exception& error) {
  const auto errors = nanobind::module_::import_("spexbench.errors");
  // Not std::regex: where libstdc++ is linked into the module, its locales do not work.
  const auto message = errors.attr("_in_python")(error.what());
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
