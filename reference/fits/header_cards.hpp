// Values of the header cards that pass through an extraction.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spex {

/// Whether a card of `cards` (80 characters each) has the keyword `key`.
[[nodiscard]] bool has_card(const std::vector<std::string>& cards, const std::string& key);

/// The number of the first card with the keyword `key`; nothing where there is none. Throws
/// Error(data) `file: ...` where its value is no finite number.
[[nodiscard]] std::optional<double> card_number(const std::vector<std::string>& cards,
                                                const std::string& key, const std::string& file);

/// The text of the first card with the keyword `key`, without quotes and trailing blanks; nothing
/// where there is none, or where its value is no text.
[[nodiscard]] std::optional<std::string> card_text(const std::vector<std::string>& cards,
                                                   const std::string& key);

}  // namespace spex
