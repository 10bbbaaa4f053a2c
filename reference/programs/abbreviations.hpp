// Command lines as Python's argparse takes them, for programs that stand in for its scripts.
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

/// The words of a command line, the program's name apart, with the long options of `app` written
/// out, and --input=FILE and -i=FILE as two words. An abbreviation such as --inp stands for the one
/// option of `first` (names without dashes) that begins so; where none of these does, for the one
/// option of `app`. A name that is written out is itself, also where a longer one begins with it.
/// What is no option of `app` stays as it is, as does all after `--`.
///
/// Throws Error(usage) where several options begin so, where the value of an option is missing
/// (another option, or nothing, follows it), and where a flag is given one. A negative number, and
/// a word with blanks, is a value.
[[nodiscard]] std::vector<std::string> write_out_options(const CLI::App& app,
                                                         const std::vector<std::string>& words,
                                                         std::span<const std::string_view> first);

}  // namespace spex
