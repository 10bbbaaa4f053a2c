// Values of header cards that are copied from input to output.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spex {

/// The unparsed value of the first card with the keyword `key`, text with its quotes; "" if it has
/// no value; nothing if there is no such card.
[[nodiscard]] std::optional<std::string> card_value(const std::vector<std::string>& cards,
                                                    const std::string& key);

/// Whether a card of `cards` (80 characters each) has the keyword `key`.
[[nodiscard]] bool has_card(const std::vector<std::string>& cards, const std::string& key);

/// The number of the first card with the keyword `key`; nothing if there is no such card. Throws
/// Error(data) `file: ...` if the value is not a finite number.
[[nodiscard]] std::optional<double> card_number(const std::vector<std::string>& cards,
                                                const std::string& key, const std::string& file);

/// The text of the first card with the keyword `key`, without quotes and trailing blanks; nothing
/// if there is no such card or its value is not text.
[[nodiscard]] std::optional<std::string> card_text(const std::vector<std::string>& cards,
                                                   const std::string& key);

}  // namespace spex
