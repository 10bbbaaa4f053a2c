#include "mpi/comm/check.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <mpi.h>

#include "reference/core/error.hpp"

namespace spex::mpi {
namespace {

std::string describe(int code, const char* call, const char* file, int line) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fmt::format("{} at {}:{}: {}", call, file, line, text);
}

}  // namespace

void report_failure(int code, const char* call, const char* file, int line) {
  throw Error(ErrorKind::internal, "MPI", describe(code, call, file, line));
}

void log_failure(int code, const char* call, const char* file, int line) noexcept {
  std::fprintf(stderr, "MPI: error %d of %s (%s:%d)\n", code, call, file, line);
}

}  // namespace spex::mpi
