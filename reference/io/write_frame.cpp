#include "reference/io/write_frame.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"
#include "reference/fits/header_cards.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/fits/write/image_in_parts.hpp"
#include "reference/io/copy_fibermap.hpp"
#include "reference/model/camera.hpp"
#include "reference/model/mask_bits.hpp"

namespace spex {
namespace {

// Copies cards, except the keywords that the program writes itself.
void write_cards(FitsMemory& out, const std::vector<std::string>& cards,
                 const std::vector<HeaderKeyword>& keywords) {
  int status = 0;
  bool replaced = false;
  for (const std::string& card : cards) {
    const std::string name = card.substr(0, std::min<std::size_t>(card.find_first_of(" ="), 8));
    if (name != "CONTINUE")
      replaced = std::any_of(keywords.begin(), keywords.end(),
                             [&](const HeaderKeyword& keyword) { return keyword.name == name; });
    if (!replaced) fits_write_record(out.get(), card.c_str(), &status);
  }
  fits_check(status, out.name(), "cannot copy the image's header");
}

struct ImageHdu {
  const char* name;
  std::string unit;  ///< "": none
  std::vector<long> axes;
};

void write_reals(FitsMemory& out, const ImageHdu& hdu, bool full_precision,
                 const std::vector<double>& values) {
  create_image(out, full_precision ? DOUBLE_IMG : FLOAT_IMG, hdu.axes);
  write_name_and_unit(out, hdu.name, hdu.unit.empty() ? nullptr : hdu.unit.c_str());
  write_image(out, full_precision, values);
}

// The unit of the image's pixels by its header: DESI's, electron, where it states none. A compound
// unit gets parentheses, so that it can be divided.
std::string unit_of_pixels(const std::vector<std::string>& cards) {
  std::string unit = card_text(cards, "BUNIT").value_or("");
  unit.erase(0, unit.find_first_not_of(' '));
  if (unit.empty() || header_word(unit) == "electron") return "electron";
  const bool is_word = std::all_of(unit.begin(), unit.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  return is_word ? unit : "(" + unit + ")";
}

struct TableColumn {
  std::string name;
  std::string comment;
  const char* form;
  int type;
  const void* values;
};

void write_table(FitsMemory& out, const char* name, long long rows,
                 const std::vector<TableColumn>& columns) {
  std::vector<char*> names, forms;
  for (const TableColumn& column : columns) {
    names.push_back(const_cast<char*>(column.name.c_str()));  // CFITSIO does not write to them
    forms.push_back(const_cast<char*>(column.form));
  }
  int status = 0;
  fits_create_tbl(out.get(), BINARY_TBL, rows, static_cast<int>(columns.size()), names.data(),
                  forms.data(), nullptr, name, &status);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    fits_write_col(out.get(), columns[c].type, static_cast<int>(c) + 1, 1, 1, rows,
                   const_cast<void*>(columns[c].values), &status);
    fits_modify_comment(out.get(), fmt::format("TTYPE{}", c + 1).c_str(),
                        columns[c].comment.c_str(), &status);
  }
  fits_check(status, out.name(), fmt::format("cannot write {}", name));
  out.write_checksums();
}

void write_scores(FitsMemory& out, const Frame& frame, const Scores& scores,
                  const std::string& camera) {
  const std::string suffix =
      std::string("_") + static_cast<char>(std::toupper(static_cast<unsigned char>(camera[0])));
  // The comments of production.
  const ArmTraits* const arm = arm_of_camera(camera);
  const std::string range = arm == nullptr ? ""
                                           : fmt::format(" in wave. range {:g},{:g}A",
                                                         arm->scores.first, arm->scores.end);
  const auto column = [&](const char* name, const char* comment,
                          const std::vector<double>& values) {
    return TableColumn{name + suffix, comment + range, "D", TDOUBLE, values.data()};
  };
  write_table(out, "SCORES", frame.nspec,
              {column("SUM_RAW_COUNT", "sum counts", scores.sum_raw_count),
               column("MEDIAN_RAW_COUNT", "median counts/A", scores.median_raw_count),
               column("MEDIAN_RAW_SNR", "median SNR/sqrt(A)", scores.median_raw_snr)});
}

void require(bool finite) {
  if (!finite) throw std::logic_error("refused to write a frame with a value that is not finite");
}

// All numbers, as they are written. RESOLUTION is checked while it is written.
void check_finite(const FrameFileContent& content) {
  const Frame& frame = *content.frame;
  for (const auto* values : {&frame.flux, &frame.ivar, &frame.f, &frame.chi2pix})
    require(content.full_precision ? all_finite(*values) : float_holds(*values));
  require(all_finite(frame.wave) && all_finite(frame.pixmask_fraction));
  if (content.scores == nullptr) return;
  const Scores& scores = *content.scores;
  for (const auto* values :
       {&scores.sum_raw_count, &scores.median_raw_count, &scores.median_raw_snr})
    require(all_finite(*values));
}

void check_rows(const Fibermap& fibermap, const Frame& frame, const std::string& path) {
  if (fibermap.fiber.size() != static_cast<std::size_t>(frame.nspec))
    throw data_error(path, fmt::format("FIBERMAP has {} rows", fibermap.fiber.size()),
                     fmt::format("{}, one for each spectrum", frame.nspec));
}

// Approximate size of the file without RESOLUTION. Reserving it avoids reallocation.
std::size_t expected_size(const FrameFileContent& content) {
  const Frame& frame = *content.frame;
  constexpr std::size_t headers = std::size_t{1} << 20;
  const std::size_t real = content.full_precision ? sizeof(double) : sizeof(float);
  const std::size_t images =  // FLUX, IVAR, MASK, CHI2PIX
      4 + (content.full_precision ? 1 : 0) + (frame.f.empty() ? 0 : 1);
  const std::size_t fibermap = content.fibermap == nullptr ? 0 : content.fibermap->fits.size();
  return headers + real * images * frame.nbins() + fibermap;
}

void write_packed(const std::string& path, std::span<const char> before, const ImageInParts& image,
                  const PackedImage& packed, std::span<const char> after,
                  const GzipSettings& settings) {
  if (packed.size != image.data_size())
    throw std::logic_error("the packed image and its HDU differ in size");
  const Bytes header = image.header(packed.datasum);
  const std::vector<char> padding(image.size() - header.size() - packed.size, '\0');
  atomic_write_gzip(path, {{before}, {header}, {{}, &packed}, {padding}, {after}}, settings);
}

}  // namespace

void write_frame(const std::string& path, const FrameFileContent& content) {
  const Frame& frame = *content.frame;
  check_finite(content);
  FitsMemory out(path, expected_size(content));
  const long nwave = frame.nwave;
  const std::vector<long> bins{nwave, frame.nspec};
  const bool full = content.full_precision;

  create_image(out, full ? DOUBLE_IMG : FLOAT_IMG, bins);
  write_cards(out, content.cards, content.keywords);
  const std::string unit = unit_of_pixels(content.cards);
  write_name_and_unit(out, "FLUX", (unit + "/Angstrom").c_str());
  for (const HeaderKeyword& keyword : content.keywords) write_keyword(out, keyword);
  write_image(out, full, frame.flux);

  write_reals(out, {"IVAR", "Angstrom^2/" + unit + "^2", bins}, full, frame.ivar);
  create_image(out, ULONG_IMG, bins);
  write_name_and_unit(out, "MASK", nullptr);
  write_pixels(out, TUINT, frame.mask);
  write_reals(out, {"WAVELENGTH", "Angstrom", {nwave}}, true, frame.wave);
  // RESOLUTION, most of the file, is written directly from the frame.
  const ImageInParts resolution{
      "RESOLUTION", {nwave, frame.ndiagonals(), frame.nspec}, full, &frame.resolution};
  const std::size_t before = out.size();
  if (content.fibermap != nullptr && !content.fibermap->fits.empty()) {
    check_rows(*content.fibermap, frame, path);
    copy_fibermap(out, *content.fibermap);
  }
  write_reals(out, {"CHI2PIX", "", bins}, full, frame.chi2pix);
  if (content.scores != nullptr) write_scores(out, frame, *content.scores, content.camera);
  if (full) write_reals(out, {"PIXMASK_FRACTION", "", bins}, full, frame.pixmask_fraction);
  if (!frame.f.empty()) write_reals(out, {"F", unit + "/Angstrom", bins}, full, frame.f);
  const std::span<const char> others = out.finish();
  const GzipSettings settings{content.compress_level, content.threads};
  if (content.resolution != nullptr) {
    write_packed(path, others.first(before), resolution, *content.resolution,
                 others.subspan(before), settings);
    return;
  }
  atomic_write(
      path, others.size() + resolution.size(),
      [&](const PutPart& put) {
        put(0, others.first(before));
        resolution.put_at(before, content.threads, put);
        put(before + resolution.size(), others.subspan(before));
      },
      settings);
}

std::vector<std::string> header_cards(const std::vector<std::string>& cards,
                                      const std::vector<HeaderKeyword>& keywords) {
  constexpr std::size_t size = std::size_t{1} << 17;
  FitsMemory header("header", size);
  create_image(header, BYTE_IMG, {});
  write_cards(header, cards, keywords);
  for (const HeaderKeyword& keyword : keywords) write_keyword(header, keyword);
  return FitsReader(header.finish(), header.name()).user_cards();
}

void write_model(const std::string& path, const ModelImage& model,
                 const std::vector<std::string>& cards, const std::vector<HeaderKeyword>& keywords,
                 const GzipSettings& settings) {
  require(all_finite(model.value));
  FitsMemory out(path);
  create_image(out, DOUBLE_IMG, {model.nx, model.ny});
  write_cards(out, cards, keywords);
  write_name_and_unit(out, "MODEL", unit_of_pixels(cards).c_str());
  for (const HeaderKeyword& keyword : keywords) write_keyword(out, keyword);
  write_pixels(out, TDOUBLE, model.value);
  atomic_write(path, out.finish(), settings);
}

void write_rejected(const std::string& path, const RejectedMask& rejected,
                    const std::vector<std::string>& cards,
                    const std::vector<HeaderKeyword>& keywords, const GzipSettings& settings) {
  const auto& [nx, ny, places] = rejected;
  std::vector<std::uint8_t> mask(count_of(nx, ny), 0);
  for (const std::uint32_t place : places) mask[place] = ccdmask::COSMIC;
  FitsMemory out(path);
  create_image(out, BYTE_IMG, {nx, ny});
  write_cards(out, cards, keywords);
  write_name_and_unit(out, "MASK", nullptr);
  for (const HeaderKeyword& keyword : keywords) write_keyword(out, keyword);
  write_pixels(out, TBYTE, mask);
  atomic_write(path, out.finish(), settings);
}

}  // namespace spex
