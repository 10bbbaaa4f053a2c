// Errors that a user can act on. A program prints `program: what()` as one line and exits with
// exit_status(kind). Numerical failures of a patch are not errors but values (PatchStatus).
#pragma once

#include <stdexcept>
#include <string>

namespace spex {

/// Whose fault it is; decides the exit status.
enum class ErrorKind {
  usage,     ///< the command line asks for something impossible; exit status 2
  data,      ///< a file is missing, malformed, or cannot be written; exit status 1
  device,    ///< a device is of no more use to what held it; exit status 1
  no_gpu,    ///< there is no GPU; exit status 77
  internal,  ///< a library call failed in a way that the user did not cause; exit status 1
};

/// What a user is told in one line: subject, what is wrong, what was expected.
class Error : public std::runtime_error {
 public:
  /// `subject: wrong (expected)`; subject is a file or an option, and may be empty, as may
  /// expected.
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

/// A text that stays in its line and moves no cursor, whatever file it was read from: blanks for
/// line ends and tabs, '?' for other control characters, those of UTF-8 too.
[[nodiscard]] std::string printable(std::string text);

/// What an exception says, printable: of the file system the path and why, of a library its first
/// line.
[[nodiscard]] std::string words_of(const std::exception& error);

/// Exit status of a program that ends with this kind of error: 2 for usage, 77 for no_gpu, else 1.
[[nodiscard]] int exit_status(ErrorKind kind) noexcept;

}  // namespace spex
