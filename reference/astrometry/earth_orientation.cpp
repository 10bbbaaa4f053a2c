#include "reference/astrometry/earth_orientation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex {
namespace {

// Columns of the format, inclusive, counted from 1.
struct Columns {
  const char* name;
  std::size_t first;
  std::size_t last;
};

constexpr Columns date{"MJD", 8, 15};
constexpr Columns flag_a{"flag of polar motion", 17, 17};
constexpr Columns xp_a{"PM-x of Bulletin A", 19, 27};
constexpr Columns yp_a{"PM-y of Bulletin A", 38, 46};
constexpr Columns ut1_a{"UT1-UTC of Bulletin A", 59, 68};
constexpr Columns xp_b{"PM-x of Bulletin B", 135, 144};
constexpr Columns yp_b{"PM-y of Bulletin B", 145, 154};
constexpr Columns ut1_b{"UT1-UTC of Bulletin B", 155, 165};

constexpr const char* expected = "lines of finals2000A.all";

// The text in the columns, without blanks around it; empty beyond the line's end.
std::string_view text_at(std::string_view line, const Columns& columns) {
  if (line.size() < columns.first) return {};
  std::string_view text = line.substr(columns.first - 1, columns.last - columns.first + 1);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(" \r") + 1);
}

// The number in the columns; nothing if they are blank.
std::optional<double> number_at(std::string_view line, const Columns& columns,
                                const std::string& subject) {
  const std::string_view text = text_at(line, columns);
  if (text.empty()) return std::nullopt;
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw data_error(subject,
                     fmt::format("columns {} to {}: '{}' is no {}", columns.first, columns.last,
                                 text, columns.name),
                     expected);
  return value;
}

void add_day(EarthOrientationTable& table, std::string_view line, const std::string& subject) {
  const std::optional<double> mjd = number_at(line, date, subject);
  if (!mjd) throw data_error(subject, "has no MJD in columns 8 to 15", expected);
  if (!table.mjd.empty() && *mjd <= table.mjd.back())
    throw data_error(subject, fmt::format("MJD {:.2f} follows {:.2f}", *mjd, table.mjd.back()),
                     "ascending days");
  std::optional<double> ut1 = number_at(line, ut1_a, subject);
  std::optional<double> xp = number_at(line, xp_a, subject);
  std::optional<double> yp = number_at(line, yp_a, subject);
  // A day without prediction.
  if (!ut1 || !xp || !yp || text_at(line, flag_a).empty()) return;
  if (const auto better = number_at(line, ut1_b, subject)) ut1 = better;
  const std::optional<double> better_xp = number_at(line, xp_b, subject);
  const std::optional<double> better_yp = number_at(line, yp_b, subject);
  if (better_xp && better_yp) {
    xp = better_xp;
    yp = better_yp;
  }
  table.mjd.push_back(*mjd);
  table.ut1_utc.push_back(*ut1);
  table.xp.push_back(*xp);
  table.yp.push_back(*yp);
}

}  // namespace

EarthOrientation EarthOrientationTable::at(double when) const {
  const auto after = std::upper_bound(mjd.begin(), mjd.end(), when);
  const auto wrong = [&](const std::string& what) {
    return data_error(path, fmt::format("has no UT1-UTC for MJD {:.5f}: {}", when, what),
                      "a table of the IERS with that day and the next");
  };
  if (after == mjd.begin() || after == mjd.end())
    throw wrong(fmt::format("its days are {:.0f} to {:.0f}", mjd.front(), mjd.back()));
  const std::size_t i = after - mjd.begin();
  if (mjd[i] - mjd[i - 1] > 1)
    throw wrong(fmt::format("it goes from day {:.0f} to {:.0f}", mjd[i - 1], mjd[i]));
  const double part = (when - mjd[i - 1]) / (mjd[i] - mjd[i - 1]);
  const auto between = [&](double first, double step) { return first + part * step; };
  // UT1 - UTC jumps at a leap second, UT1 does not: remove the jump.
  const double step = ut1_utc[i] - ut1_utc[i - 1];
  return {between(ut1_utc[i - 1], step - std::round(step)), between(xp[i - 1], xp[i] - xp[i - 1]),
          between(yp[i - 1], yp[i] - yp[i - 1])};
}

EarthOrientationTable read_earth_orientation(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw data_error(path, "cannot be read", "finals2000A.all of the IERS");
  EarthOrientationTable table;
  table.path = path;
  int number = 0;
  for (std::string line; std::getline(file, line);)
    add_day(table, line, fmt::format("{}:{}", path, ++number));
  if (table.mjd.empty()) throw data_error(path, "has no day", "finals2000A.all of the IERS");
  return table;
}

}  // namespace spex
