#include "reference/frame/barycentric_correction.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"
#include "reference/fits/header_cards.hpp"
#include "reference/fits/read/fits_file.hpp"

namespace spex {
namespace {

using Cards = std::vector<std::string>;

bool has_direction(const Cards& cards) {
  return has_card(cards, "RA") || has_card(cards, "TARGTRA");
}

Cards fibermap_cards(const Fibermap& fibermap) {
  if (fibermap.fits.empty()) return {};
  FitsReader table(fibermap.fits, "FIBERMAP", {.checksums = false});
  table.move_to_hdu("FIBERMAP");
  return table.user_cards();
}

// The value of the first keyword that exists.
template <std::size_t N>
double first_of(const Cards& cards, const std::array<const char*, N>& keys,
                const std::string& file) {
  for (const char* key : keys)
    if (const auto value = card_number(cards, key, file)) return *value;
  throw data_error(file, fmt::format("has no keyword {}, for the barycentric correction",
                                     fmt::join(keys, " or ")));
}

bool is_of_sky(const Cards& cards) {
  const std::string type =
      header_word(card_text(cards, "OBSTYPE").value_or(card_text(cards, "FLAVOR").value_or("")));
  return type == "science" || type == "sky";
}

}  // namespace

Pointing pointing_of(const Preproc& preproc, const std::string& file) {
  Cards cards = preproc.cards;
  if (!has_direction(cards)) cards = fibermap_cards(preproc.fibermap);
  if (!has_direction(cards))
    throw data_error(file, "neither IMAGE nor FIBERMAP has the keyword RA or TARGTRA",
                     "one of them, for the barycentric correction");
  Pointing pointing;
  pointing.ra = first_of(cards, std::array{"TARGTRA", "SKYRA", "TELRA", "RA"}, file);
  pointing.dec = first_of(cards, std::array{"TARGTDEC", "SKYDEC", "TELDEC", "DEC"}, file);
  if (std::abs(pointing.dec) > 90)
    throw data_error(file, fmt::format("the declination is {:g}", pointing.dec),
                     "-90 to 90 degrees");
  constexpr double seconds_a_day = 24 * 3600;
  const double exptime = card_number(cards, "EXPTIME", file).value_or(0);
  pointing.mjd = first_of(cards, std::array{"MJD-OBS", "MJD"}, file) + exptime / 2 / seconds_a_day;
  if (!(pointing.mjd >= first_mjd && pointing.mjd <= last_mjd))
    throw data_error(file, fmt::format("the exposure's middle is at MJD {:g}", pointing.mjd),
                     fmt::format("{:.0f} to {:.0f}", first_mjd, last_mjd));
  return pointing;
}

double barycentric_factor_of(const BarycentricSettings& settings, const Preproc& preproc,
                             const std::string& file) {
  if (settings.frames == BarycentricFrames::none) return 1;
  if (settings.frames == BarycentricFrames::of_sky && !is_of_sky(preproc.cards)) return 1;
  if (settings.heliocor) return *settings.heliocor;
  const Pointing pointing = pointing_of(preproc, file);
  return barycentric_factor(pointing,
                            settings.earth ? settings.earth->at(pointing.mjd) : EarthOrientation{});
}

}  // namespace spex
