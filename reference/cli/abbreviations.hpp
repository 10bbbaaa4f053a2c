// Expands abbreviated options as Python's argparse does, for programs that replace its scripts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace spex {

/// The long names of all options of `app`, without dashes.
[[nodiscard]] std::vector<std::string> long_names(const CLI::App& app);

/// Returns the words of a command line, without the program's name, with the long options of `app`
/// written in full, and --input=FILE and -i=FILE split into two words. An abbreviation such as
/// --inp is expanded if it is a prefix of exactly one option in `first` (names without dashes), or,
/// if of none, of exactly one option of `app`. A full name always matches exactly. Words that are
/// not options, and all words after `--`, are unchanged.
///
/// Throws Error(usage) if an abbreviation is ambiguous, if the value of an option is missing
/// (followed by another option or nothing), or if a flag is given a value. Negative numbers and
/// words with blanks count as values.
[[nodiscard]] std::vector<std::string> write_out_options(const CLI::App& app,
                                                         const std::vector<std::string>& words,
                                                         std::span<const std::string_view> first);

}  // namespace spex
