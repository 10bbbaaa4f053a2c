#include "reference/fits/file_forms.hpp"

#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/core/error.hpp"
#include "reference/fits/same_file.hpp"

namespace spex {
namespace {

constexpr std::array endings{".fits", ".fits.gz", ".fits.fz"};

// The name without its ending; empty for a name of another ending.
std::string stem_of(const std::string& path) {
  for (const std::string ending : endings)
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  return {};
}

}  // namespace

std::vector<std::string> forms_of(const std::string& path) {
  std::vector<std::string> forms{path};
  const std::string stem = stem_of(path);
  if (stem.empty()) return forms;
  for (const std::string ending : endings)
    if (stem + ending != path) forms.push_back(stem + ending);
  return forms;
}

std::vector<std::string> existing_forms(const std::string& path) {
  std::vector<std::string> forms;
  std::error_code ignored;
  for (const std::string& form : forms_of(path))
    if (std::filesystem::exists(form, ignored)) forms.push_back(form);
  return forms;
}

std::string find_form(const std::string& path) {
  const std::vector<std::string> forms = existing_forms(path);
  if (forms.empty() || forms.front() == path) return path;
  if (forms.size() > 1)
    throw data_error(path, fmt::format("no such file, but {} and {}", forms[0], forms[1]),
                     "one of them");
  return forms.front();
}

void refuse_second_form(const std::string& output) {
  for (const std::string& form : existing_forms(output))
    if (form != output)
      throw data_error(output, fmt::format("exists already as {}", form),
                       "no other form of the output; remove it, or write that form");
}

std::string name_of_all_forms(const std::string& path) {
  const std::string stem = stem_of(path);
  return canonical_name(stem.empty() ? path : stem + endings.front());
}

}  // namespace spex
