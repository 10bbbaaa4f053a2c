#include "reference/compare/frame_headers.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fitsio.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/core/header_word.hpp"
#include "reference/fits/header_cards.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/inflate.hpp"
#include "reference/fits/read_at.hpp"

namespace spex {
namespace {

// Keywords that describe how and from which files a frame was made, and checksums over them.
bool is_own(const std::string& name) {
  static const std::set<std::string> own{"METHOD",   "MILESTNE", "SPEXPROG", "SPEXVERS", "SPECTER",
                                         "NGUARD",   "NFALLBCK", "NDIRECT",  "IN_PSF",   "IN_IMG",
                                         "CHECKSUM", "DATASUM",  "COMMENT",  "HISTORY",  ""};
  return own.contains(name) || name.starts_with("DEPNAM") || name.starts_with("DEPVER");
}

// Keywords that may occur several times.
bool is_text(const std::string& name) {
  return name == "COMMENT" || name == "HISTORY" || name.empty();
}

// The keywords of an HDU with their unparsed values, and the result of the checksum check.
struct Header {
  std::map<std::string, std::string> values;
  std::string twice;  // a duplicate keyword; "" if none
  bool has_sums = false, sums_are_right = true;
};

Header read_header(const FitsReader& file) {
  Header header;
  int status = 0, count = 0;
  fits_get_hdrspace(file.get(), &count, nullptr, &status);
  std::string keyword;
  for (int k = 1; k <= count; ++k) {
    std::array<char, FLEN_CARD> name{}, value{}, comment{};
    fits_read_keyn(file.get(), k, name.data(), value.data(), comment.data(), &status);
    // A CONTINUE card extends the value of the keyword before it.
    if (std::string(name.data()) == "CONTINUE") {
      header.values[keyword] += value.data() + std::string(comment.data());
      continue;
    }
    keyword = name.data();
    const bool is_new = header.values.insert_or_assign(keyword, value.data()).second;
    if (!is_new && !is_text(keyword)) header.twice = keyword;
  }
  fits_check(status, file.path(), file.hdu_name());
  const HduSums sums = file.sums();
  header.has_sums = sums.data != Sum::absent && sums.whole != Sum::absent;
  header.sums_are_right = sums.data != Sum::wrong && sums.whole != Sum::wrong;
  return header;
}

// All HDUs of a file.
struct Headers {
  std::vector<std::string> order;       // names such as "HDU IVAR"
  std::map<std::string, Header> named;  // key: name
  long long end = 0;                    // end of the last HDU, bytes
  long long size = 0;                   // of the file, uncompressed, bytes
};

Headers read_headers(const std::string& path) {
  FitsReader file(path);
  Headers headers;
  headers.end = file.end();
  headers.size = file.size();
  for (int hdu = 1; hdu <= file.hdus(); ++hdu) {
    file.move_to_number(hdu);
    headers.order.push_back(file.hdu_name());
    headers.named[file.hdu_name()] = read_header(file);
  }
  return headers;
}

// Equal as text, or as numbers in different notation.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  char* end_a = nullptr;
  char* end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  const bool numbers = !a.empty() && !b.empty() && *end_a == '\0' && *end_b == '\0';
  return numbers && x == y;
}

// Describes the first keyword that is missing, has another value, or is extra; "" if none.
std::string wrong_keywords(const std::string& hdu, const Header& found, const Header& expected) {
  for (const auto& [name, value] : expected.values) {
    if (is_own(name)) continue;
    const auto keyword = found.values.find(name);
    if (keyword == found.values.end())
      return fmt::format("{}: {} is missing (expected {})", hdu, name, value);
    if (!same_value(keyword->second, value))
      return fmt::format("{}: {} is {} (expected {})", hdu, name, keyword->second, value);
  }
  // Extra keywords such as a WCS, TSCAL or TNULL would change how readers interpret the data.
  for (const auto& [name, value] : found.values)
    if (!is_own(name) && !expected.values.contains(name))
      return fmt::format("{}: {} is {} (expected none)", hdu, name, value);
  return {};
}

}  // namespace

std::string wrong_header(const std::string& path, const std::string& camera,
                         const std::string& reference) {
  FitsReader file(path);
  file.move_to_primary();
  if (const std::string found = file.find_string("CAMERA").value_or("");
      !camera.empty() && header_word(found) != header_word(camera))
    return fmt::format("CAMERA is '{}' (expected {})", found, camera);
  const Headers headers = read_headers(path);
  std::array<char, 2> magic{};
  read_file_at(path)(0, magic.data(), magic.size());
  if (path.ends_with(".gz") != is_gzip(magic))
    return path.ends_with(".gz") ? "is plain (expected gzip, by its name)"
                                 : "is gzip (expected plain, by its name)";
  // Readers ignore bytes after the last HDU.
  if (headers.size != headers.end)
    return fmt::format("has {} bytes (expected {}, those of its HDUs)", headers.size, headers.end);
  for (const auto& [hdu, header] : headers.named) {
    if (!header.sums_are_right) return fmt::format("{}: CHECKSUM or DATASUM is wrong", hdu);
    // Some readers use the first value, others the last.
    if (!header.twice.empty()) return fmt::format("{}: {} occurs twice", hdu, header.twice);
  }
  if (reference.empty()) return {};
  const Headers wanted = read_headers(reference);
  if (headers.order != wanted.order)
    return fmt::format("has the HDUs {} (expected {})", fmt::join(headers.order, ", "),
                       fmt::join(wanted.order, ", "));
  for (const auto& [hdu, expected] : wanted.named) {
    const auto found = headers.named.find(hdu);
    if (expected.has_sums && !found->second.has_sums)
      return fmt::format("{}: CHECKSUM or DATASUM is missing", hdu);
    if (std::string wrong = wrong_keywords(hdu, found->second, expected); !wrong.empty())
      return wrong;
  }
  return {};
}

std::string wrong_origin(const FrameFile& frame, const FrameOrigin& origin) {
  for (const auto& [name, expected] : {std::pair{"SPEXPROG", &origin.program},
                                       {"MILESTNE", &origin.milestone},
                                       {"METHOD", &origin.method}})
    if (const std::string found = card_text(frame.cards, name).value_or("");
        header_word(found) != header_word(*expected))
      return fmt::format("{} is '{}' (expected {})", name, found, *expected);
  return {};
}

}  // namespace spex
