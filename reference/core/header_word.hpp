// Text of FITS headers as words.
#pragma once

#include <string>
#include <string_view>

namespace spex {

/// `text` without quotes and blanks at its ends, in lower case. Header texts are compared, and
/// become names, in this form: specex writes CAMERA with quotes inside the text (`'''r0      '''`).
[[nodiscard]] std::string header_word(std::string_view text);

}  // namespace spex
