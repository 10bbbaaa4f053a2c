// Checks the result of an MPI call. Requires MPI_ERRORS_RETURN on the world (environment.hpp).
#pragma once

namespace spex::mpi {

/// Throws Error(internal) with the call, its source location, and MPI's message.
[[noreturn]] void report_failure(int code, const char* call, const char* file, int line);
/// Logs the same message, for destructors.
void log_failure(int code, const char* call, const char* file, int line) noexcept;

}  // namespace spex::mpi

#define SPEX_MPI_CHECK(call)                                         \
  do {                                                               \
    if (const int code_ = (call); code_ != MPI_SUCCESS)              \
      ::spex::mpi::report_failure(code_, #call, __FILE__, __LINE__); \
  } while (false)

#define SPEX_MPI_LOG(call)                                        \
  do {                                                            \
    if (const int code_ = (call); code_ != MPI_SUCCESS)           \
      ::spex::mpi::log_failure(code_, #call, __FILE__, __LINE__); \
  } while (false)
