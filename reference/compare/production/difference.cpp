#include "reference/compare/production/difference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace spex {
namespace {

struct ReasonText {
  Reason reason;
  const char* name;
  const char* sentence;
};

constexpr std::array reason_texts{
    ReasonText{Reason::none, "none", "not expected"},
    ReasonText{Reason::float32, "float32", "both files are rounded to float32"},
    ReasonText{Reason::method, "method", "two methods agree within the limit"},
    ReasonText{Reason::masked_block, "masked-block",
               "near bins without light an eigendecomposition loses digits"},
    ReasonText{Reason::no_light, "no-light",
               "no pixel is usable: production keeps the prior, ours are 0"},
    ReasonText{Reason::ccd_edge, "ccd-edge",
               "production drops patches that the CCD's edge cuts, and masks no light beyond it"},
    ReasonText{Reason::overflow, "overflow",
               "float32 cannot hold production's value, ours are 0 and NODATA"},
    ReasonText{Reason::rounded_fraction, "rounded-fraction",
               "production sets ALLBADPIX only where a sum rounds to 1"},
    ReasonText{Reason::bad2dfit_rule, "bad2dfit-rule",
               "each follows its own rule of BAD2DFIT (--bad2dfit)"},
    ReasonText{Reason::bad2dfit_chi2pix, "bad2dfit-chi2pix",
               "each follows its own CHI2PIX, which differs as expected"},
    ReasonText{Reason::chi2_pixels, "chi2-pixels",
               "production on GPUs leaves pixels out (--chi2-pixels bright), not checked further"},
    ReasonText{Reason::psf_error, "psf-error",
               "production had another --psferr, not checked further"},
    ReasonText{Reason::seams, "seams", "production has seams between patches, --flux frame none"},
    ReasonText{Reason::earth_orientation, "earth-orientation",
               "HELIOCOR with other tables of the Earth's orientation (--iers)"},
    ReasonText{Reason::bad_columns, "bad-columns",
               "desi_proc masks bad columns after the extraction"},
    ReasonText{Reason::follows, "follows", "each follows its own spectra"},
    ReasonText{Reason::other_extractor, "other-extractor",
               "production extracted with specter: agrees to 3% of the brightest flux nearby"},
    ReasonText{Reason::made_by, "made-by", "says how, from which folder or by what it was made"},
};

const ReasonText& text_of(Reason reason) {
  return *std::ranges::find(reason_texts, reason, &ReasonText::reason);
}

}  // namespace

const char* name_of(Reason reason) {
  return text_of(reason).name;
}

const char* sentence_of(Reason reason) {
  return text_of(reason).sentence;
}

std::vector<Reason> all_reasons() {
  std::vector<Reason> all;
  for (const ReasonText& text : reason_texts) all.push_back(text.reason);
  return all;
}

void Difference::count_value(double value) {
  ++count;
  if (std::isnan(value) || value > largest) largest = std::isnan(largest) ? largest : value;
}

std::string ranges(const std::set<long long>& fibers) {
  std::string text;
  for (auto fiber = fibers.begin(); fiber != fibers.end();) {
    const long long begin = *fiber;
    long long end = begin;
    for (++fiber; fiber != fibers.end() && *fiber == end + 1; ++fiber) end = *fiber;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", begin);
    if (end > begin) text += fmt::format("-{}", end);
  }
  return text;
}

std::string to_string(const Difference& difference) {
  std::string text = difference.hdu + ": " + difference.what;
  if (difference.limit > 0 || difference.largest > 0 || std::isnan(difference.largest))
    text += fmt::format(" {:.3g} (at most {:.3g})", difference.largest, difference.limit);
  if (!difference.fibers.empty())
    text +=
        fmt::format(", {} values of {} {}", difference.count,
                    difference.fibers.size() == 1 ? "fiber" : "fibers", ranges(difference.fibers));
  if (!difference.note.empty()) text += ", " + difference.note;
  if (difference.first)
    if (const std::string where = to_string(*difference.first); !where.empty())
      text += ", first at " + where;
  return text;
}

Difference& Differences::at(const std::string& hdu, const std::string& what, Reason reason,
                            double limit) {
  const auto [place, is_new] = index_.try_emplace({hdu, what, reason}, all_.size());
  if (is_new) all_.push_back({.hdu = hdu, .what = what, .reason = reason, .limit = limit});
  return all_[place->second];
}

void Differences::add(const std::string& hdu, const std::string& what, Reason reason,
                      const std::string& note) {
  Difference& difference = at(hdu, what, reason);
  ++difference.count;
  if (difference.note.empty()) difference.note = note;
}

std::vector<Difference> Differences::sorted() const {
  std::vector<Difference> all(all_.begin(), all_.end());
  std::stable_partition(all.begin(), all.end(),
                        [](const Difference& one) { return !one.expected(); });
  return all;
}

}  // namespace spex
