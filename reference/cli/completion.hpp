// Shell completion of a program's command line.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace spex {

/// A script that completes options of `app` in `shell` (bash, zsh or fish): names, the words of a
/// choice, and file names for other text values.
[[nodiscard]] std::string completion(const CLI::App& app, const std::string& shell);

/// Adds the option --completion SHELL, which prints the script and exits.
void add_completion_option(CLI::App& app);

}  // namespace spex
