#include "reference/compare/production/compare_keywords.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "reference/compare/production/compare_spectra.hpp"
#include "reference/frame/frame_keywords.hpp"

namespace spex {
namespace {

// Keywords that name programs in any frame.
bool names_program(const std::string& keyword) {
  return keyword == "SPECTER" || keyword.starts_with("DEPNAM") || keyword.starts_with("DEPVER");
}

bool names_file(const std::string& keyword) {
  return keyword == "IN_IMG" || keyword == "IN_PSF" || keyword == "ORIG_PSF";
}

std::string file_of(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (const char* ending : {".gz", ".fz"})
    if (name.ends_with(ending)) name.erase(name.size() - 3);
  return name;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto number = [](std::string text, double& value) {
    std::ranges::replace(text, 'D', 'E');
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0';
  };
  double x = 0, y = 0;
  return number(a, x) && number(b, y) && x == y;
}

// Why a keyword of both frames has two values.
Reason explain(const std::string& keyword, const std::string& ours, const std::string& production) {
  if (names_program(keyword)) return Reason::made_by;
  if (names_file(keyword) && file_of(ours) == file_of(production)) return Reason::made_by;
  if (keyword == "CAMERA" && lower(ours) == lower(production)) return Reason::made_by;
  if (keyword == "HELIOCOR") {
    const double apart =
        std::strtod(ours.c_str(), nullptr) - std::strtod(production.c_str(), nullptr);
    if (std::abs(apart) <= equal_heliocor) return Reason::method;
    if (std::abs(apart) <= earth_orientation_limit) return Reason::earth_orientation;
  }
  return Reason::none;
}

void compare_hdu(const std::string& hdu, const Keywords& ours, const Keywords& production,
                 Differences& out) {
  for (const auto& [keyword, value] : production) {
    const auto found = ours.find(keyword);
    if (found == ours.end()) {
      out.add(hdu, keyword + " in production only",
              names_program(keyword) ? Reason::made_by : Reason::none, fmt::format("'{}'", value));
    } else if (!same_value(found->second, value)) {
      out.add(hdu, keyword, explain(keyword, found->second, value),
              fmt::format("'{}', production '{}'", found->second, value));
    }
  }
  for (const auto& [keyword, value] : ours) {
    if (production.contains(keyword)) continue;
    const bool own =
        own_keywords().contains(keyword) || names_program(keyword) || keyword == "BUNIT";
    out.add(hdu, keyword + " in ours only", own ? Reason::made_by : Reason::none,
            fmt::format("'{}'", value));
  }
}

}  // namespace

void compare_keywords(const PipelineFrame& ours, const PipelineFrame& production,
                      Differences& differences) {
  for (const auto& [hdu, keywords] : production.keywords)
    if (const auto found = ours.keywords.find(hdu); found != ours.keywords.end())
      compare_hdu(hdu, found->second, keywords, differences);
}

}  // namespace spex
