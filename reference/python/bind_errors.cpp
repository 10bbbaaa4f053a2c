#include <exception>

#include "reference/core/error.hpp"
#include "reference/python/bindings.hpp"

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

void translate(const std::exception_ptr& failure, void* /*unused*/) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    const auto type = nanobind::module_::import_("spexbench.errors").attr(class_of(error.kind()));
    PyErr_SetString(type.ptr(), error.what());
  }
}

}  // namespace

void bind_errors(nanobind::module_& /*module*/) {
  nanobind::register_exception_translator(translate);
}

}  // namespace spex::python
