// What the files of a simulated exposure hold.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/sim/desi_psf.hpp"
#include "reference/sim/simulate.hpp"
#include "reference/tests/sim/simulate_tiny.hpp"
#include "reference/tests/support/fields.hpp"

namespace {

using spex::SimOptions;
using spex::test::Simulate;

TEST_F(Simulate, PsfIsReadAsItWasMade) {
  const SimOptions options = tiny("a");
  simulate(options);
  spex::Psf made = cut_psf(spex::make_desi_psf({'r', 0}), spex::SimSize::tiny,
                           spex::default_wave_range("r0", ""), "psf");
  made.camera = "r0";
  const spex::Psf read = spex::read_psf(file("a", "psf").string());
  spex::test::expect_equal(read, made);
}

TEST_F(Simulate, ImageHasHeaderAndFibermapOfAnExposure) {
  SimOptions options = tiny("a", "z3");
  options.night = 20251231;
  options.exptime = 1200;
  simulate(options);
  const std::string path = (folder_ / "a" / "preproc-z3-00051060.fits").string();
  spex::FitsReader file(path);
  file.move_to_hdu("IMAGE");
  EXPECT_EQ(file.get_integer("NIGHT"), 20251231);
  EXPECT_EQ(file.get_integer("EXPID"), 51060);
  EXPECT_EQ(file.get_string("CAMERA"), "z3");
  EXPECT_EQ(file.get_string("FLAVOR"), "science");
  EXPECT_EQ(file.get_string("SIMPROG"), "spex-sim");
  EXPECT_EQ(file.get_string("SIMSEED"), "1");
  EXPECT_EQ(file.get_double("EXPTIME"), 1200);
  EXPECT_EQ(file.get_double("MJD-OBS"), 61041.125);  // 3:00 UT of 2026-01-01
  EXPECT_EQ(file.get_double("TARGTRA"), spex::field_ra);
  EXPECT_EQ(file.get_double("TARGTDEC"), spex::field_dec);
  file.move_to_hdu("FIBERMAP");
  EXPECT_EQ(spex::row_count(file), 25);
  const auto fiber = spex::read_integer_column(file, "FIBER");
  EXPECT_EQ(fiber.front(), 1500);
  EXPECT_EQ(fiber.back(), 1524);
  auto targetid = spex::read_integer_column(file, "TARGETID");
  std::sort(targetid.begin(), targetid.end());
  EXPECT_EQ(std::adjacent_find(targetid.begin(), targetid.end()), targetid.end());
  const auto objtype = spex::read_string_column(file, "OBJTYPE");
  EXPECT_GE(std::count(objtype.begin(), objtype.end(), "SKY"), 2);
  EXPECT_GE(std::count(objtype.begin(), objtype.end(), "TGT"), 20);
  EXPECT_NEAR(spex::read_double_cell(file, "TARGET_RA", 1, 1)[0], spex::field_ra, 2);
  EXPECT_NEAR(spex::read_double_cell(file, "TARGET_DEC", 1, 1)[0], spex::field_dec, 2);
}

TEST_F(Simulate, TruthFileHoldsTheSpectraOfTheSimulation) {
  const SimOptions options = tiny("a");
  simulate(options);
  const spex::SimFrame frame =
      simulate_camera(options, {'r', 0}, spex::make_desi_psf({'r', 0}), "psf");
  spex::FitsReader truth(file("a", "truth").string());
  truth.move_to_primary();
  EXPECT_EQ(truth.get_double("WAVESTEP"), 0.8);
  EXPECT_EQ(truth.get_double("WAVEMIN"), frame.truth.wave.front());
  EXPECT_EQ(truth.get_string("ONGRID"), "T");
  truth.move_to_hdu("WAVELENGTH");
  EXPECT_EQ(truth.read_doubles(), frame.truth.wave);
  truth.move_to_hdu("FLUX");
  EXPECT_EQ(truth.image_axes(), (std::vector<long long>{frame.truth.nwave(), 25}));
  const std::vector<double> flux(frame.truth.flux.begin(), frame.truth.flux.end());
  EXPECT_EQ(truth.read_doubles(), flux);
}

TEST_F(Simulate, TruthListsThePixelsOfCosmicRays) {
  SimOptions options = tiny("a");
  options.cosmics = {3, 0.5};
  simulate(options);
  const spex::Preproc image = spex::read_preproc(file("a", "preproc").string());
  spex::FitsReader truth(file("a", "truth").string());
  truth.move_to_hdu("COSMICS");
  const auto x = spex::read_integer_column(truth, "X"), y = spex::read_integer_column(truth, "Y");
  std::vector<char> masked(x.size());
  int status = 0, column = 0;
  fits_get_colnum(truth.get(), CASEINSEN, const_cast<char*>("MASKED"), &column, &status);
  fits_read_col(truth.get(), TLOGICAL, column, 1, 1, static_cast<LONGLONG>(masked.size()), nullptr,
                masked.data(), nullptr, &status);
  ASSERT_EQ(status, 0);
  ASSERT_GT(x.size(), 20U);
  EXPECT_GT(std::ranges::count(masked, 0), 5);
  EXPECT_GT(std::ranges::count(masked, 1), 5);
  std::set<std::size_t> cosmics;  // in MASK by the truth
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto p = static_cast<std::size_t>(y[i] * image.nx + x[i]);
    if (masked[i] != 0) cosmics.insert(p);
    const std::vector<double> electrons =
        spex::read_double_cell(truth, "ELECTRON", static_cast<long>(i) + 1, 1);
    EXPECT_TRUE(electrons[0] >= 100 && electrons[0] <= 6000) << electrons[0];
  }
  for (std::size_t p = 0; p < image.mask.size(); ++p)
    EXPECT_EQ((image.mask[p] & spex::ccdmask::COSMIC) != 0, cosmics.contains(p)) << p;
}

TEST_F(Simulate, FlavorsHaveHeadersAndFibermapsOfTheirKind) {
  struct Kind {
    spex::Flavor flavor;
    const char* obstype;
    const char* flavor_keyword;
    std::string objtype;  // OBJTYPE of all fibers; empty: SKY and TGT
  };
  for (const Kind& kind : {Kind{spex::Flavor::science, "SCIENCE", "science", ""},
                           Kind{spex::Flavor::sky, "SKY", "science", "SKY"},
                           Kind{spex::Flavor::flat, "FLAT", "flat", "FLT"},
                           Kind{spex::Flavor::arc, "ARC", "arc", "ARC"}}) {
    SimOptions options = tiny("a");
    options.flavor = kind.flavor;
    simulate(options);
    spex::FitsReader reader(file("a", "preproc").string());
    reader.move_to_hdu("IMAGE");
    EXPECT_EQ(reader.get_string("OBSTYPE"), kind.obstype);
    EXPECT_EQ(reader.get_string("FLAVOR"), kind.flavor_keyword);
    EXPECT_EQ(reader.get_integer("TILEID"), 1000);
    EXPECT_EQ(reader.get_string("DETECTOR"), "SIM");  // whose calibrations desispec looks for
    EXPECT_EQ(reader.get_integer("SPECGRPH"), 0);
    EXPECT_EQ(reader.get_string("DATE-OBS"), "2024-01-02T03:00:00");
    reader.move_to_hdu("FIBERMAP");
    const auto objtype = spex::read_string_column(reader, "OBJTYPE");
    const auto count = std::count(objtype.begin(), objtype.end(), kind.objtype);
    EXPECT_EQ(count, kind.objtype.empty() ? 0 : 25) << kind.obstype;
  }
}

// The columns that desispec's steps read.
TEST_F(Simulate, FibermapHasWhatDesispecReads) {
  simulate(tiny("a"));
  spex::FitsReader reader(file("a", "preproc").string());
  reader.move_to_hdu("FIBERMAP");
  const auto objtype = spex::read_string_column(reader, "OBJTYPE");
  const auto desi_target = spex::read_integer_column(reader, "DESI_TARGET");
  const auto status = spex::read_integer_column(reader, "FIBERSTATUS");
  EXPECT_EQ(spex::read_integer_column(reader, "MWS_TARGET").size(), 25U);
  int stars = 0;
  for (std::size_t i = 0; i < objtype.size(); ++i) {
    EXPECT_EQ(status[i], 0);
    const bool sky = desi_target[i] == std::int64_t{1} << 32;
    EXPECT_EQ(sky, objtype[i] == "SKY") << i;
    const bool star = desi_target[i] == std::int64_t{1} << 33;
    stars += star ? 1 : 0;
    const auto row = static_cast<long>(i) + 1;
    const double magnitude = spex::read_double_cell(reader, "GAIA_PHOT_G_MEAN_MAG", row, 1)[0];
    if (star) {
      EXPECT_NEAR(magnitude, 17.2, 0.8);
    }
    for (const char* column : {"FIBER_X", "FIBER_Y"})
      EXPECT_LT(std::abs(spex::read_double_cell(reader, column, row, 1)[0]), 450) << column;
    for (const char* column : {"DELTA_X", "DELTA_Y"}) {
      const double moved = spex::read_double_cell(reader, column, row, 1)[0];
      EXPECT_LT(std::abs(moved), 0.05) << column;
      EXPECT_NE(moved, 0) << column;
    }
    for (const char* column :
         {"FIBER_RA", "FIBER_DEC", "GAIA_PHOT_BP_MEAN_MAG", "GAIA_PHOT_RP_MEAN_MAG"})
      static_cast<void>(spex::read_double_cell(reader, column, row, 1));
  }
  EXPECT_EQ(stars, 1);
}

// The form of specex 0.10.1, with what desispec 0.71.6 adds for an exposure.
TEST_F(Simulate, PsfIsInTheFormOfDesisFiles) {
  SimOptions options = tiny("a");
  options.psf_shift = 0.4;
  simulate(options);
  spex::FitsReader reader(file("a", "psf").string());
  const auto raw = [&](const char* keyword) {
    char value[FLEN_VALUE] = "";
    int status = 0;
    fits_read_keyword(reader.get(), keyword, value, nullptr, &status);
    return std::string(value);
  };
  reader.move_to_primary();
  EXPECT_EQ(reader.get_string("EXTNAME"), "XTRACE");
  EXPECT_EQ(reader.get_string("PSFTYPE"), "GAUSS-HERMITE");
  EXPECT_EQ(raw("PSFVER"), "3");
  reader.move_to_hdu("INTOFF");
  EXPECT_EQ(spex::row_count(reader), 25 * 4);
  EXPECT_EQ(spex::read_integer_column(reader, "FIBER").back(), 24);
  EXPECT_EQ(spex::read_double_cell(reader, "DWAVE", 1, 1)[0], 0);
  reader.move_to_hdu("EXTOFF");
  EXPECT_EQ(spex::row_count(reader), 4);
  reader.move_to_hdu("PSF");
  EXPECT_EQ(reader.get_string("PSFTYPE"), "GAUSS-HERMITE");
  EXPECT_EQ(raw("PSFVER"), "'3       '");      // specter compares it as text
  EXPECT_EQ(raw("CAMERA"), "'''r0      '''");  // quotes within the text
  EXPECT_EQ(raw("TDIM2"), "'( 4, 25)'");
  EXPECT_EQ(raw("PSFERR"), "");
  EXPECT_EQ(reader.get_double("B00RCHI2"), 1);
  EXPECT_EQ(reader.get_integer("NPARAMS"), 57);
  const spex::Psf shifted = spex::read_psf(file("a", "psf").string());
  options.psf_shift = 0;
  options.folder = (folder_ / "b").string();
  simulate(options);
  const spex::Psf plain = spex::read_psf(file("b", "psf").string());
  EXPECT_NEAR(reader.get_double("MEANDX"), shifted.xtrace.coeff[0] - plain.xtrace.coeff[0], 1e-9);
  EXPECT_NEAR(reader.get_double("MAXDY"), shifted.ytrace.coeff[0] - plain.ytrace.coeff[0], 1e-9);
}

TEST_F(Simulate, PsfHasTheRowsOfSpecex) {
  simulate(tiny("a"));
  spex::FitsReader reader(file("a", "psf").string());
  reader.move_to_hdu("PSF");
  const auto names = spex::read_string_column(reader, "PARAM");
  const long long per_row = 25 * (reader.get_integer("LEGDEG") + 1);
  ASSERT_EQ(names.size(), 59U);
  const std::vector<std::string> first{"GHSIGX", "GHSIGY", "GH-0-0", "GH-1-0", "GH-2-0"};
  EXPECT_TRUE(std::equal(first.begin(), first.end(), names.begin()));
  const std::vector<std::string> last{"TAILINDE", "BUNDLE", "STATUS", "CONT"};
  EXPECT_TRUE(std::equal(last.begin(), last.end(), names.end() - 4));
  for (const auto& [name, value] : {std::pair{"TAILAMP", 0.0},
                                    {"TAILCORE", 1.0},
                                    {"TAILXSCA", 1.0},
                                    {"TAILYSCA", 1.0},
                                    {"TAILINDE", 2.0},
                                    {"BUNDLE", 0.0},
                                    {"STATUS", 0.0},
                                    {"CONT", 0.0}}) {
    const auto row = std::find(names.begin(), names.end(), name);
    ASSERT_NE(row, names.end()) << name;
    const auto coeff = spex::read_double_cell(reader, "COEFF", row - names.begin() + 1, per_row);
    EXPECT_EQ(coeff[0], value) << name;
    EXPECT_EQ(coeff[1], 0) << name;
  }
}

}  // namespace
