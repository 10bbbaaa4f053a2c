#include "reference/fits/write/fits_write.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace spex {
namespace {

// The fewest digits that reproduce the number when read back.
int significant_digits(double value) {
  int digits = 15;
  while (digits < 17 &&
         std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr) != value)
    ++digits;
  return digits;
}

}  // namespace

void write_keyword(FitsMemory& out, const HeaderKeyword& keyword) {
  int status = 0;
  const char* name = keyword.name.c_str();
  const char* comment = keyword.comment.c_str();
  fitsfile* file = out.get();
  if (const auto* text = std::get_if<std::string>(&keyword.value)) {
    fits_update_key_longstr(file, name, text->c_str(), comment, &status);
  } else if (const auto* number = std::get_if<long long>(&keyword.value)) {
    fits_update_key_lng(file, name, *number, comment, &status);
  } else if (const auto* real = std::get_if<double>(&keyword.value)) {
    fits_update_key_dbl(file, name, *real, -significant_digits(*real), comment, &status);
  } else {
    fits_update_key_log(file, name, std::get<bool>(keyword.value) ? 1 : 0, comment, &status);
  }
  fits_check(status, out.name(), "cannot write keyword " + keyword.name);
}

void write_name_and_unit(FitsMemory& out, const char* name, const char* unit) {
  write_keyword(out, {"EXTNAME", std::string(name), "name of this HDU"});
  if (unit != nullptr) write_keyword(out, {"BUNIT", std::string(unit), "unit of the pixels"});
}

void create_image(FitsMemory& out, int bitpix, std::vector<long> axes) {
  int status = 0;
  fits_create_img(out.get(), bitpix, static_cast<int>(axes.size()), axes.data(), &status);
  fits_check(status, out.name(), "cannot make an image HDU");
}

}  // namespace spex
