#include "reference/core/error.hpp"

#include "reference/core/exit_status.hpp"

namespace spex {
namespace {

std::string one_line(const std::string& subject, const std::string& wrong,
                     const std::string& expected) {
  std::string text;
  if (!subject.empty()) text += subject + ": ";
  text += wrong;
  if (!expected.empty()) text += " (expected " + expected + ")";
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& subject, const std::string& wrong,
             const std::string& expected)
    : std::runtime_error(one_line(subject, wrong, expected)), kind_(kind) {}

Error usage_error(const std::string& option, const std::string& wrong,
                  const std::string& expected) {
  return {ErrorKind::usage, option, wrong, expected};
}

Error data_error(const std::string& file, const std::string& wrong, const std::string& expected) {
  return {ErrorKind::data, file, wrong, expected};
}

int exit_status(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::usage:
      return status::usage;
    case ErrorKind::no_gpu:
      return status::skipped;
    default:
      return status::failed;
  }
}

}  // namespace spex
