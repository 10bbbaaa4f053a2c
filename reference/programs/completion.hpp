// What a shell completes of a program's command line.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace spex {

/// A script that completes the options of `app` in `shell`, which is bash, zsh or fish: names, the
/// words of an option that has a choice, and files for other texts.
[[nodiscard]] std::string completion(const CLI::App& app, const std::string& shell);

/// Adds the option --completion SHELL, which prints that script and ends the program.
void add_completion_option(CLI::App& app);

}  // namespace spex
