#include "reference/compare/production/pipeline_frame.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fitsio.h>
#include <fmt/format.h>

#include "reference/fits/read/fits_file.hpp"

namespace spex {
namespace {

// Blanks at the ends and quotes around the text say nothing: specex writes CAMERA as "'r0 '".
std::string bare(std::string text) {
  for (bool again = true; again;) {
    again = false;
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return "";
    text = text.substr(first, text.find_last_not_of(' ') + 1 - first);
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
      text = text.substr(1, text.size() - 2);
      again = true;
    }
  }
  return text;
}

bool describes_frame(char* card, const std::string& name) {
  switch (fits_get_keyclass(card)) {
    case TYP_USER_KEY:
    case TYP_REFSYS_KEY:
    case TYP_UNIT_KEY:
      // Units of columns have numbers; those of tables are annotations of DESI's pipeline.
      return !name.starts_with("TUNIT");
    default:
      return false;
  }
}

struct HduKeywords {
  Keywords values;
  std::string specter;  // comment of SPECTER
};

HduKeywords read_keywords(const FitsReader& file) {
  HduKeywords keywords;
  int status = 0, count = 0;
  fits_get_hdrspace(file.get(), &count, nullptr, &status);
  for (int k = 1; k <= count; ++k) {
    std::array<char, FLEN_CARD> card{}, name{}, value{}, comment{};
    int length = 0;
    fits_read_record(file.get(), k, card.data(), &status);
    fits_get_keyname(card.data(), name.data(), &length, &status);
    fits_check(status, file.path(), file.hdu_name() + ": cannot read its header");
    const std::string keyword = name.data();
    if (keyword.empty() || keyword == "CONTINUE" || !describes_frame(card.data(), keyword))
      continue;
    fits_parse_value(card.data(), value.data(), comment.data(), &status);
    if (status != 0) {  // a keyword without a value
      fits_clear_errmsg();
      status = 0;
    }
    std::string text = value.data();
    if (text.starts_with('\'')) text = file.find_string(keyword.c_str()).value_or(text);
    keywords.values.try_emplace(keyword, bare(text));
    if (keyword == "SPECTER") keywords.specter = comment.data();
  }
  return keywords;
}

// The first two numbers of a version; 0 where there is none.
std::pair<int, int> numbers_of(const std::string& version) {
  const char* const end = version.data() + version.size();
  int major = 0, minor = 0;
  const auto after = std::from_chars(version.data(), end, major);
  if (after.ptr != end && *after.ptr == '.') std::from_chars(after.ptr + 1, end, minor);
  return {major, minor};
}

}  // namespace

std::optional<std::string> PipelineFrame::find(const std::string& keyword) const {
  const auto hdu = keywords.find("FLUX");
  if (hdu == keywords.end()) return std::nullopt;
  const auto found = hdu->second.find(keyword);
  return found == hdu->second.end() ? std::nullopt : std::optional(found->second);
}

double PipelineFrame::number(const std::string& keyword, double otherwise) const {
  const std::string text = find(keyword).value_or("");
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? otherwise : value;
}

std::string PipelineFrame::version_of(const std::string& dependency) const {
  const auto hdu = keywords.find("FLUX");
  if (hdu == keywords.end()) return "";
  for (const auto& [name, value] : hdu->second)
    if (name.starts_with("DEPNAM") && value == dependency)
      return find("DEPVER" + name.substr(6)).value_or("");
  return "";
}

bool PipelineFrame::by_specter() const {
  return extractor_url.find("specter") != std::string::npos &&
         extractor_url.find("gpu_specter") == std::string::npos;
}

PipelineFrame read_pipeline_frame(const std::string& path) {
  FitsReader reader(path);
  PipelineFrame frame;
  frame.file = read_frame(reader);
  for (int hdu = 1; hdu <= reader.hdus(); ++hdu) {
    reader.move_to_number(hdu);
    HduKeywords read = read_keywords(reader);
    if (hdu == 1) frame.extractor_url = read.specter;
    frame.keywords.try_emplace(reader.find_string("EXTNAME").value_or(""), std::move(read.values));
  }
  return frame;
}

bool before(const std::string& a, const std::string& b) {
  return numbers_of(a) < numbers_of(b);
}

std::optional<double> psferr_of_version(const std::string& desispec, const std::string& camera) {
  if (desispec.empty()) return std::nullopt;
  if (before(desispec, "0.55")) return 0.1;
  return !before(desispec, "0.61") && camera.starts_with('b') ? 0.04 : 0.01;
}

}  // namespace spex
