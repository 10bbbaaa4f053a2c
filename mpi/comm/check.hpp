// The check of an MPI call. MPI_ERRORS_RETURN is set on the world (environment.hpp), so that it can
// fire.
#pragma once

namespace spex::mpi {

/// Throws Error(internal) with the call, where it stands, and MPI's own text.
[[noreturn]] void report_failure(int code, const char* call, const char* file, int line);
/// The same as a log line, for destructors.
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
