#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fitsio.h>
#include <gmock/gmock.h>
#include <zlib.h>

#include "reference/core/error.hpp"
#include "reference/fits/fits_header.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/io/write_frame.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/small_disk.hpp"
#include "reference/tests/io/frame_writer.hpp"
#include "reference/tests/support/pack_image.hpp"

namespace spex::test {
namespace {

using WriteFrame = FrameWriter;

// Decompresses by zlib, which verifies CRC and size.
std::vector<char> gunzip(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::vector<char> bytes(4'000'000);
  EXPECT_EQ(gzdirect(file), 0) << "not gzip";
  const int size = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  EXPECT_EQ(gzclose(file), Z_OK);
  bytes.resize(static_cast<std::size_t>(std::max(0, size)));
  return bytes;
}

TEST_F(WriteFrame, HdusInOrderWithCorrectChecksums) {
  write_frame(path("frame.fits"), content_);
  EXPECT_EQ(checked_hdus(path("frame.fits")),
            (std::vector<std::string>{"FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION",
                                      "FIBERMAP", "CHI2PIX", "SCORES"}));
  content_.scores = nullptr;
  content_.full_precision = true;
  write_frame(path("full.fits"), content_);
  EXPECT_EQ(checked_hdus(path("full.fits")),
            (std::vector<std::string>{"FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION",
                                      "FIBERMAP", "CHI2PIX", "PIXMASK_FRACTION"}));
}

// A frame of several parts.
Frame large_frame() {
  Frame frame = make_frame();
  frame.nspec = 40;
  frame.nwave = 900;
  frame.wave = counting(frame.nwave, 4000);
  for (auto* values : {&frame.flux, &frame.ivar, &frame.chi2pix, &frame.pixmask_fraction})
    *values = counting(frame.nbins(), 0.5);
  frame.mask.assign(frame.nbins(), 0);
  frame.resolution = Reals(counting(frame.nbins() * frame.ndiagonals(), 3));
  return frame;
}

TEST_F(WriteFrame, BytesDoNotDependOnThreads) {
  const Frame frame = large_frame();
  content_.frame = &frame;
  content_.scores = nullptr;
  content_.fibermap = nullptr;
  for (const char* name : {"frame.fits", "frame.fits.gz"}) {
    std::vector<std::vector<char>> files;
    for (const int threads : {1, 3}) {
      content_.threads = threads;
      write_frame(path(name), content_);
      files.push_back(read_bytes(path(name)));
    }
    EXPECT_EQ(files[0], files[1]) << name;
  }
}

TEST_F(WriteFrame, FullDiskWithThreadsLeavesNothing) {
  const Frame frame = large_frame();
  content_.frame = &frame;
  content_.scores = nullptr;
  content_.fibermap = nullptr;
  content_.threads = 3;
  {
    // Room for everything before RESOLUTION.
    const SmallDisk disk(700'000);
    expect_data_error([&] { write_frame(path("frame.fits"), content_); }, path("frame.fits"),
                      "cannot be written: File too large", "");
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(WriteFrame, TypesShapesUnitsAndValues) {
  struct Image {
    const char* name;
    int type;
    std::vector<long long> axes;
    const std::vector<double>* values;
  };
  for (const bool full : {false, true}) {
    content_.full_precision = full;
    write_frame(path("frame.fits"), content_);
    FitsReader file(path("frame.fits"));
    const int real = full ? DOUBLE_IMG : FLOAT_IMG;
    const std::vector<long long> bins{nwave, nspec};
    for (const Image& image :
         {Image{"FLUX", real, bins, &frame_.flux}, Image{"IVAR", real, bins, &frame_.ivar},
          Image{"WAVELENGTH", DOUBLE_IMG, {nwave}, &frame_.wave},
          Image{"RESOLUTION", real, {nwave, 5, nspec}, frame_.resolution.double_values()},
          Image{"CHI2PIX", real, bins, &frame_.chi2pix}}) {
      file.move_to_hdu(image.name);
      EXPECT_EQ(file.image_form().bitpix, image.type) << image.name;
      EXPECT_EQ(file.image_axes(), image.axes) << image.name;
      std::vector<double> expected = *image.values;
      if (image.type == FLOAT_IMG)
        for (double& value : expected) value = static_cast<float>(value);
      EXPECT_EQ(file.read_doubles(), expected) << image.name;
    }
    file.move_to_primary();
    EXPECT_EQ(file.get_string("BUNIT"), "electron/Angstrom");
  }
}

TEST_F(WriteFrame, ResolutionInFloatIsTheSameFile) {
  std::vector<double> thirds = *frame_.resolution.double_values();
  for (double& value : thirds) value /= 3;
  frame_.resolution = Reals(thirds);
  write_frame(path("double.fits"), content_);
  frame_.resolution = Reals(std::vector<float>(thirds.begin(), thirds.end()));
  write_frame(path("float.fits"), content_);
  EXPECT_EQ(read_bytes(path("float.fits")), read_bytes(path("double.fits")));
}

TEST_F(WriteFrame, PackedResolutionIsTheSameFrame) {
  Frame frame = large_frame();
  std::vector<float> values(frame.resolution.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(0.37F * static_cast<float>(i)) / 3;
  frame.resolution = Reals(values);
  content_.frame = &frame;
  content_.scores = nullptr;
  content_.fibermap = nullptr;
  write_frame(path("frame.fits"), content_);
  const PackedImage packed =
      pack_image(values, count_of(frame.nwave), count_of(frame.ndiagonals()), 500);
  frame.resolution = {};
  content_.resolution = &packed;
  for (const int threads : {1, 3}) {
    content_.threads = threads;
    write_frame(path("frame.fits.gz"), content_);
    EXPECT_EQ(gunzip(path("frame.fits.gz")), read_bytes(path("frame.fits")));
  }
  EXPECT_EQ(checked_hdus(path("frame.fits.gz")), checked_hdus(path("frame.fits")));
}

TEST_F(WriteFrame, PackedResolutionMustMatchAndNeedsGzip) {
  const std::vector<float> values(frame_.resolution.size(), 1.5F);
  const PackedImage packed = pack_image(values, nwave, 5, 500);
  content_.resolution = &packed;
  EXPECT_THROW(write_frame(path("frame.fits"), content_), std::logic_error);
  frame_.ndiag = 1;
  EXPECT_THROW(write_frame(path("frame.fits.gz"), content_), std::logic_error);
  EXPECT_EQ(files(), 0);
}

TEST_F(WriteFrame, RejectsNonFiniteResolution) {
  frame_.resolution =
      Reals(std::vector<float>(nspec * 5 * nwave, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_THROW(write_frame(path("frame.fits"), content_), std::logic_error);
  EXPECT_FALSE(std::filesystem::exists(path("frame.fits")));
}

TEST_F(WriteFrame, MaskIsUnsigned) {
  write_frame(path("frame.fits"), content_);
  FitsReader file(path("frame.fits"));
  file.move_to_hdu("MASK");
  EXPECT_EQ(file.image_form().bitpix, LONG_IMG);
  EXPECT_EQ(file.image_form().zero, 2147483648);
  EXPECT_EQ(file.image_axes(), (std::vector<long long>{nwave, nspec}));
  const std::vector<std::uint32_t> mask = file.read_bits();
  EXPECT_EQ(mask[3], 0x80000101U);
  EXPECT_EQ(mask[4], 0U);
}

TEST_F(WriteFrame, ScoresNamedByTheCamera) {
  write_frame(path("frame.fits"), content_);
  FitsReader file(path("frame.fits"));
  file.move_to_hdu("SCORES");
  EXPECT_EQ(row_count(file), nspec);
  EXPECT_EQ(read_double_cell(file, "SUM_RAW_COUNT_R", 1, 1).at(0), 1);
  EXPECT_EQ(read_double_cell(file, "MEDIAN_RAW_COUNT_R", 2, 1).at(0), 5);
  EXPECT_EQ(read_double_cell(file, "MEDIAN_RAW_SNR_R", 3, 1).at(0), 9);
}

TEST_F(WriteFrame, WithoutFibermapThereIsNoHdu) {
  const std::vector<std::string> others{"FLUX",       "IVAR",    "MASK",  "WAVELENGTH",
                                        "RESOLUTION", "CHI2PIX", "SCORES"};
  const Fibermap none;
  for (const Fibermap* fibermap : {static_cast<const Fibermap*>(nullptr), &none}) {
    content_.fibermap = fibermap;
    write_frame(path("frame.fits"), content_);
    EXPECT_EQ(checked_hdus(path("frame.fits")), others);
  }
}

// The comments of production.
TEST_F(WriteFrame, ScoresHaveComments) {
  write_frame(path("frame.fits"), content_);
  FitsReader file(path("frame.fits"));
  file.move_to_hdu("SCORES");
  const auto comment = [&](const char* key) {
    char value[FLEN_VALUE] = "";
    char text[FLEN_COMMENT] = "";
    int status = 0;
    fits_read_keyword(file.get(), key, value, text, &status);
    EXPECT_EQ(status, 0) << key;
    return std::string(text);
  };
  EXPECT_EQ(comment("TTYPE1"), "sum counts in wave. range 5800,7600A");
  EXPECT_EQ(comment("TTYPE2"), "median counts/A in wave. range 5800,7600A");
  EXPECT_EQ(comment("TTYPE3"), "median SNR/sqrt(A) in wave. range 5800,7600A");
}

// Numbers that need more than 15 digits are written with enough digits.
TEST_F(WriteFrame, NumbersOfTheHeaderKeepTheirBits) {
  const double heliocor = 1.0000641254341616;
  content_.keywords = {{"HELIOCOR", heliocor, ""}, {"PSFERR", 0.01, ""}};
  write_frame(path("frame.fits"), content_);
  FitsReader file(path("frame.fits"));
  EXPECT_EQ(file.get_double("HELIOCOR"), heliocor);
  EXPECT_EQ(file.get_string("PSFERR"), "0.01");
}

TEST_F(WriteFrame, KeywordsReplaceCopiedCards) {
  const auto card = [](std::string text) {
    text.resize(80, ' ');
    return text;
  };
  content_.cards = {card("NIGHT   =             20200305"),
                    card("PSFERR  =                  9.0"),
                    card("IN_IMG  = 'a long name that goes on &'"),
                    card("CONTINUE  'here'"),
                    card("BUNIT   = 'electron'"),
                    card("LONGTEXT= 'of two &'"),
                    card("CONTINUE  'cards'")};
  const std::string in_img(200, 'x');
  content_.keywords = {{"PSFERR", 0.01, "fraction"},
                       {"IN_IMG", in_img, "image"},
                       {"NPATCH", 12345678901LL, "patches"},
                       {"FLAG", true, "a flag"}};
  write_frame(path("frame.fits"), content_);
  EXPECT_EQ(checked_hdus(path("frame.fits")).size(), 8U);
  FitsReader file(path("frame.fits"));
  EXPECT_EQ(file.get_integer("NIGHT"), 20200305);
  EXPECT_EQ(file.get_double("PSFERR"), 0.01);
  EXPECT_EQ(file.get_string("IN_IMG"), in_img);
  EXPECT_EQ(file.get_string("LONGTEXT"), "of two cards");
  EXPECT_EQ(file.get_integer("NPATCH"), 12345678901LL);
  EXPECT_EQ(file.get_string("FLAG"), "T");
  EXPECT_EQ(file.get_string("BUNIT"), "electron/Angstrom");
  int twice = 0;
  for (const std::string& c : file.user_cards()) twice += c.starts_with("PSFERR  ") ? 1 : 0;
  EXPECT_EQ(twice, 1);
  EXPECT_THAT(header_cards(content_.cards, content_.keywords),
              testing::UnorderedElementsAreArray(file.user_cards()));
}

// Spectra have the unit of the image's pixels, which is not always DESI's.
TEST_F(WriteFrame, UnitsAreThoseOfTheImage) {
  const std::vector<std::array<std::string, 3>> units{
      {"'adu     '", "adu/Angstrom", "Angstrom^2/adu^2"},
      {"'  DN    '", "DN/Angstrom", "Angstrom^2/DN^2"},
      {"'electron'", "electron/Angstrom", "Angstrom^2/electron^2"},
      {"'ELECTRON'", "electron/Angstrom", "Angstrom^2/electron^2"},
      {"'        '", "electron/Angstrom", "Angstrom^2/electron^2"},
      {"3", "electron/Angstrom", "Angstrom^2/electron^2"},
      {"'count s-1'", "(count s-1)/Angstrom", "Angstrom^2/(count s-1)^2"}};
  frame_.f = frame_.flux;
  for (const auto& [stated, of_flux, of_ivar] : units) {
    std::string card = "BUNIT   = " + stated;
    card.resize(FitsHeader::card_size, ' ');
    content_.cards = {card};
    write_frame(path("frame.fits"), content_);
    FitsReader file(path("frame.fits"));
    EXPECT_EQ(file.get_string("BUNIT"), of_flux);
    file.move_to_hdu("IVAR");
    EXPECT_EQ(file.get_string("BUNIT"), of_ivar);
    file.move_to_hdu("F");
    EXPECT_EQ(file.get_string("BUNIT"), of_flux);
    write_model(path("model.fits"), {1, 1, {2.0}}, content_.cards, {});
    FitsReader model(path("model.fits"));
    model.move_to_hdu("MODEL");
    EXPECT_EQ(model.get_string("BUNIT") + "/Angstrom", of_flux);
  }
}

TEST_F(WriteFrame, EqualContentGivesEqualBytes) {
  write_frame(path("a.fits"), content_);
  write_frame(path("b.fits"), content_);
  EXPECT_EQ(read_bytes(path("a.fits")), read_bytes(path("b.fits")));
  write_frame(path("a.fits.gz"), content_);
  atomic_write(path("b.fits.gz"), read_bytes(path("a.fits")));
  EXPECT_EQ(read_bytes(path("a.fits.gz")), read_bytes(path("b.fits.gz")));
  EXPECT_EQ(checked_hdus(path("a.fits.gz")).size(), 8U);
}

// The last guard: such bins were dropped before.
TEST_F(WriteFrame, NonFiniteNumbersAreRejected) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e39})
    for (std::vector<double>* values : {&frame_.flux, &frame_.ivar, &frame_.chi2pix}) {
      const double good = std::exchange((*values)[5], bad);
      EXPECT_THROW(write_frame(path("frame.fits"), content_), std::logic_error);
      (*values)[5] = good;
    }
  scores_.median_raw_snr[1] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_frame(path("frame.fits"), content_), std::logic_error);
  const ModelImage model{1, 1, {std::numeric_limits<double>::infinity()}};
  EXPECT_THROW(write_model(path("model.fits"), model, {}, {}), std::logic_error);
  EXPECT_EQ(files(), 0);
}

TEST_F(WriteFrame, FullPrecisionHoldsMoreThanFloat32) {
  content_.full_precision = true;
  frame_.flux[5] = 1e39;
  write_frame(path("frame.fits"), content_);
  EXPECT_EQ(FitsReader(path("frame.fits")).read_doubles()[5], 1e39);
}

TEST_F(WriteFrame, FailedWriteKeepsTheOldOutput) {
  write_frame(path("frame.fits"), content_);
  const std::vector<char> old = read_bytes(path("frame.fits"));
  {
    const SmallDisk disk(5000);
    frame_.flux[0] = 17;
    expect_data_error([&] { write_frame(path("frame.fits"), content_); }, path("frame.fits"),
                      "cannot be written: File too large", "");
  }
  EXPECT_EQ(read_bytes(path("frame.fits")), old);
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFrame, Model) {
  const ModelImage model{4, 3, counting(12, 0.5)};
  write_model(path("model.fits"), model, {}, {{"NSPEC", 3LL, "spectra"}});
  EXPECT_EQ(checked_hdus(path("model.fits")), (std::vector<std::string>{"MODEL"}));
  FitsReader file(path("model.fits"));
  EXPECT_EQ(file.image_axes(), (std::vector<long long>{4, 3}));
  EXPECT_EQ(file.get_integer("BITPIX"), -64);
  EXPECT_EQ(file.get_string("BUNIT"), "electron");
  EXPECT_EQ(file.get_integer("NSPEC"), 3);
  EXPECT_EQ(file.read_doubles(), model.value);
}

}  // namespace
}  // namespace spex::test
