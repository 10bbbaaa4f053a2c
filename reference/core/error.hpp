// Errors that a user can act on. A program prints `program: what()` as one line and exits with
// exit_status(kind). Numerical failures of a patch are not errors but values (PatchStatus).
#pragma once

#include <stdexcept>
#include <string>

namespace spex {

/// The cause of an error; decides the exit status.
enum class ErrorKind {
  usage,     ///< an option or combination of options is wrong; exit status 2
  data,      ///< a file is missing, malformed, or cannot be written; exit status 1
  device,    ///< a device failed or was lost; exit status 1
  no_gpu,    ///< there is no GPU; exit status 77
  internal,  ///< a library call failed and the user is not the cause; exit status 1
};

/// A one-line message for the user: subject, fault, expectation.
class Error : public std::runtime_error {
 public:
  /// Message `subject: wrong (expected)`. The subject is a file or an option. `subject` and
  /// `expected` may be empty.
  Error(ErrorKind kind, const std::string& subject, const std::string& wrong,
        const std::string& expected = {});

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }  ///< decides the exit status

 private:
  ErrorKind kind_;
};

/// A wrong option or combination of options (exit status 2).
[[nodiscard]] Error usage_error(const std::string& option, const std::string& wrong,
                                const std::string& expected = {});
/// A wrong file (exit status 1).
[[nodiscard]] Error data_error(const std::string& file, const std::string& wrong,
                               const std::string& expected = {});

/// Makes untrusted text safe to print on one line: replaces line ends and tabs by blanks, and other
/// control characters, including those of UTF-8, by '?'.
[[nodiscard]] std::string printable(std::string text);

/// A printable message of an exception: path and reason of a file system error, the first line of a
/// library's message.
[[nodiscard]] std::string words_of(const std::exception& error);

/// Exit status of a program that ends with this kind of error: 2 for usage, 77 for no_gpu, else 1.
[[nodiscard]] int exit_status(ErrorKind kind) noexcept;

}  // namespace spex
