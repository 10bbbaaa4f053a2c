#include "reference/core/error.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "reference/core/exit_status.hpp"

namespace spex {
namespace {

std::string one_line(const std::string& subject, const std::string& wrong,
                     const std::string& expected) {
  std::string text;
  if (!subject.empty()) text += subject + ": ";
  text += wrong;
  if (!expected.empty()) text += " (expected " + expected + ")";
  return printable(std::move(text));
}

// Whether three bytes are a UTF-8 character that changes the text direction.
bool turns_lines(std::string_view three) {
  constexpr std::array marks{"\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d",
                             "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};
  return std::find(marks.begin(), marks.end(), three) != marks.end();
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& subject, const std::string& wrong,
             const std::string& expected)
    : std::runtime_error(one_line(subject, wrong, expected)), kind_(kind) {}

std::string printable(std::string text) {
  constexpr unsigned char first_printable = 0x20, deleted = 0x7f, of_c1 = 0xc2, first_c1 = 0x80,
                          behind_c1 = 0xa0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (byte == '\n' || byte == '\r' || byte == '\t')
      text[i] = ' ';
    else if (byte < first_printable || byte == deleted)
      text[i] = '?';
    else if (byte == of_c1 && next >= first_c1 && next < behind_c1)
      text[i] = text[i + 1] = '?';
    else if (turns_lines(std::string_view(text).substr(i, 3)))
      text.replace(i, 3, "???");
  }
  return text;
}

std::string words_of(const std::exception& error) {
  const auto* const of_files = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
  if (of_files != nullptr && !of_files->path1().empty())
    return printable(of_files->path1().string() + ": " + of_files->code().message());
  const std::string what = error.what();
  // An Error is one line already.
  return printable(what.substr(0, what.find('\n')));
}

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
