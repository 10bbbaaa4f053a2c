#include "reference/cli/completion.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spex {
namespace {

// The kind of an option's value.
enum class Value { none, choice, number, text };

// An option, as described to a shell.
struct Completed {
  std::vector<std::string> shorts;  ///< with one dash
  std::vector<std::string> longs;   ///< with two dashes
  std::string help;                 ///< one line
  Value value = Value::none;
  std::vector<std::string> choices;  ///< words of a choice

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all = shorts;
    all.insert(all.end(), longs.begin(), longs.end());
    return all;
  }
};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// The words of a choice by CLI11's type name: "TEXT:{gpu,none}" of CLI::IsMember, or "gpu|none".
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}');
  const bool in_braces = open != std::string::npos && close != std::string::npos;
  if (!in_braces && type.find('|') == std::string::npos) return {};
  const std::string list = in_braces ? type.substr(open + 1, close - open - 1) : type;
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(in_braces ? ',' : '|', at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

Completed describe(const CLI::Option& option) {
  Completed one;
  for (const std::string& name : option.get_snames()) one.shorts.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) one.longs.push_back("--" + name);
  one.help = replaced(option.get_description(), "\n", " ");
  if (option.get_items_expected_max() == 0) return one;
  const std::string type = option.get_type_name();
  one.choices = choices_of(type);
  const bool number =
      type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
  one.value = !one.choices.empty() ? Value::choice : number ? Value::number : Value::text;
  return one;
}

std::vector<Completed> options_of(const CLI::App& app) {
  std::vector<Completed> all;
  for (const CLI::Option* option : app.get_options())
    if (option->nonpositional()) all.push_back(describe(*option));
  return all;
}

// The pattern in bash's `case` that matches all options with this kind of value; empty if there is
// none.
std::string pattern(const std::vector<Completed>& options, Value value) {
  std::vector<std::string> names;
  for (const Completed& option : options)
    if (option.value == value) names.push_back(fmt::format("{}", fmt::join(option.names(), " | ")));
  return fmt::format("{}", fmt::join(names, " | "));
}

std::string for_bash(const std::string& program, const std::vector<Completed>& options) {
  const std::string function = "_" + replaced(program, "-", "_");
  std::string cases;
  std::vector<std::string> all;
  const auto offer = [](const std::string& words) {
    return "mapfile -t COMPREPLY < <(compgen " + words + " -- \"$word\")";
  };
  for (const Completed& option : options) {
    const std::vector<std::string> names = option.names();
    all.insert(all.end(), names.begin(), names.end());
    if (option.value == Value::choice)
      cases += fmt::format("    {}) {} && return ;;\n", fmt::join(names, " | "),
                           offer(fmt::format("-W '{}'", fmt::join(option.choices, " "))));
  }
  if (const std::string numbers = pattern(options, Value::number); !numbers.empty())
    cases += fmt::format("    {}) COMPREPLY=() && return ;;\n", numbers);
  if (const std::string texts = pattern(options, Value::text); !texts.empty())
    cases += fmt::format("    {}) {} && return ;;\n", texts, offer("-f"));
  return fmt::format(
      "# Completion of {0} for bash.\n"
      "{1}() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  case $before in\n{2}  esac\n"
      "  if [[ $word == -* ]]; then\n    {3}\n  else\n    {4}\n  fi\n"
      "}}\n"
      "complete -o filenames -F {1} {0}",
      program, function, cases, offer(fmt::format("-W '{}'", fmt::join(all, " "))), offer("-f"));
}

// Quotes a text for zsh's _arguments, which interprets brackets and colons.
std::string for_arguments(std::string text) {
  for (const char* mark : {"\\", "[", "]", ":"})
    text = replaced(text, mark, std::string("\\") + mark);
  return replaced(text, "'", "'\\''");
}

std::string for_zsh(const std::string& program, const std::vector<Completed>& options) {
  std::string script =
      fmt::format("#compdef {0}\n# Completion of {0} for zsh.\n_arguments", program);
  for (const Completed& option : options) {
    const std::vector<std::string> names = option.names();
    std::string action;
    if (option.value == Value::choice)
      action = fmt::format(":word:({})", fmt::join(option.choices, " "));
    else if (option.value == Value::number)
      action = ":number: ";
    else if (option.value == Value::text)
      action = ":text:_files";
    for (const std::string& name : names)
      script += fmt::format(" \\\n  '({}){}[{}]{}'", fmt::join(names, " "), name,
                            for_arguments(option.help), action);
  }
  return script + " \\\n  '*:file:_files'";
}

std::string for_fish(const std::string& program, const std::vector<Completed>& options) {
  std::string script = fmt::format("# Completion of {} for fish.", program);
  for (const Completed& option : options) {
    script += fmt::format("\ncomplete -c {}", program);
    for (const std::string& name : option.shorts) script += " -s " + name.substr(1);
    for (const std::string& name : option.longs) script += " -l " + name.substr(2);
    if (option.value == Value::choice)
      script += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    else if (option.value == Value::number)
      script += " -x";
    else if (option.value == Value::text)
      script += " -r -F";
    script += fmt::format(" -d '{}'", replaced(replaced(option.help, "\\", "\\\\"), "'", "\\'"));
  }
  return script;
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell) {
  const std::vector<Completed> options = options_of(app);
  if (shell == "bash") return for_bash(app.get_name(), options);
  if (shell == "zsh") return for_zsh(app.get_name(), options);
  return for_fish(app.get_name(), options);
}

void add_completion_option(CLI::App& app) {
  const auto print = [&app](const std::string& shell) {
    throw CLI::CallForVersion(completion(app, shell), 0);
  };
  app.add_option_function<std::string>("--completion", print,
                                       "Print the completion script for this shell, and exit")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->trigger_on_parse();
}

}  // namespace spex
