// Files of a simulated exposure: readable by the project's readers, identical bytes for identical
// options, errors for impossible options.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/sim/desi_psf.hpp"
#include "reference/sim/outputs.hpp"
#include "reference/sim/simulate.hpp"
#include "reference/tests/support/fields.hpp"

namespace {

namespace fs = std::filesystem;
using spex::SimOptions;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Simulate : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("spex-sim-" + std::string(test->name()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] SimOptions tiny(const std::string& name, const std::string& cameras = "r0") const {
    SimOptions options;
    options.folder = (folder_ / name).string();
    options.cameras = spex::parse_cameras(cameras);
    options.size = spex::SimSize::tiny;
    options.on_grid = true;
    options.expid = 51060;
    options.program = "spex-sim";
    options.overwrite = true;
    return options;
  }
  [[nodiscard]] fs::path file(const std::string& name, const std::string& kind,
                              const std::string& ending = "") const {
    return folder_ / name / (kind + "-r0-00051060.fits" + ending);
  }

  fs::path folder_;
};

TEST_F(Simulate, WritesTheSameBytesForTheSameOptionsAndAnyThreads) {
  for (const spex::Compress compress :
       {spex::Compress::none, spex::Compress::gz, spex::Compress::fz}) {
    const std::string ending = compress == spex::Compress::none ? "" : "." + to_string(compress);
    std::vector<std::string> psf, truth, preproc;
    for (const int threads : {1, 2, 4}) {
      SimOptions options = tiny("a");
      options.threads = threads;
      options.compress = compress;
      simulate(options);
      psf.push_back(bytes_of(file("a", "psf")));
      truth.push_back(bytes_of(file("a", "truth")));
      preproc.push_back(bytes_of(file("a", "preproc", ending)));
    }
    for (const auto* files : {&psf, &truth, &preproc}) {
      EXPECT_GT((*files)[0].size(), 2880U);
      EXPECT_TRUE((*files)[0] == (*files)[1]) << ending;
      EXPECT_TRUE((*files)[0] == (*files)[2]) << ending;
    }
  }
}

// Users in different time zones must get the same inputs. The zone is Kiritimati's, given
// explicitly so that no zone files are needed.
TEST_F(Simulate, WritesTheSameBytesInEveryTimeZone) {
  const char* const before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  std::vector<std::string> preproc;
  for (const char* zone : {"UTC0", "<+14>-14", "<-12>12"}) {
    setenv("TZ", zone, 1);
    tzset();
    simulate(tiny("a"));
    preproc.push_back(bytes_of(file("a", "preproc")));
  }
  if (before == nullptr)
    unsetenv("TZ");
  else
    setenv("TZ", kept.c_str(), 1);
  tzset();
  EXPECT_NE(preproc[0].find("DATE-OBS= '2024-01-02T03:00:00'"), std::string::npos);
  EXPECT_TRUE(preproc[0] == preproc[1]);
  EXPECT_TRUE(preproc[0] == preproc[2]);
}

TEST_F(Simulate, SeedChangesTheImageButNotThePsf) {
  SimOptions options = tiny("a");
  simulate(options);
  options.seed = 2;
  options.folder = (folder_ / "b").string();
  simulate(options);
  EXPECT_NE(spex::read_preproc(file("a", "preproc").string()).image,
            spex::read_preproc(file("b", "preproc").string()).image);
  EXPECT_EQ(spex::read_psf(file("a", "psf").string()).param,
            spex::read_psf(file("b", "psf").string()).param);
}

TEST_F(Simulate, CompressedImagesHoldTheSameAsPlainOnes) {
  simulate(tiny("a"));
  const spex::Preproc plain = spex::read_preproc(file("a", "preproc").string());
  const std::uintmax_t plain_size = fs::file_size(file("a", "preproc"));
  for (const spex::Compress compress : {spex::Compress::gz, spex::Compress::fz}) {
    SimOptions options = tiny("a");
    options.compress = compress;
    simulate(options);
    const std::string ending = "." + to_string(compress);
    const spex::Preproc other = spex::read_preproc(file("a", "preproc", ending).string());
    EXPECT_EQ(plain.image, other.image) << ending;
    EXPECT_EQ(plain.ivar, other.ivar) << ending;
    EXPECT_EQ(plain.mask, other.mask) << ending;
    EXPECT_EQ(plain.camera, other.camera) << ending;
    EXPECT_EQ(plain.cards, other.cards) << ending;
    EXPECT_EQ(plain.fibermap.fiber, other.fibermap.fiber) << ending;
    EXPECT_LT(fs::file_size(file("a", "preproc", ending)), plain_size * 9 / 10);
  }
}

TEST_F(Simulate, PsfIsReadAsItWasMade) {
  const SimOptions options = tiny("a");
  simulate(options);
  const spex::Psf made = cut_psf(spex::make_desi_psf({'r', 0}), spex::SimSize::tiny,
                                 spex::default_wave_range("r0", ""), "psf");
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

TEST_F(Simulate, TruthAloneHasTheSameBytes) {
  SimOptions options = tiny("a");
  options.cosmics = {3, 0.5};
  simulate(options);
  options.folder = (folder_ / "b").string();
  options.files = spex::SimFiles::truth;
  simulate(options);
  EXPECT_TRUE(bytes_of(file("a", "truth")) == bytes_of(file("b", "truth")));
}

TEST_F(Simulate, TakesAPsfFromAFile) {
  simulate(tiny("own"));
  SimOptions options = tiny("given");
  options.psf = file("own", "psf").string();
  options.size = spex::SimSize::full;
  simulate(options);
  const spex::Psf psf = spex::read_psf(file("given", "psf").string());
  EXPECT_EQ(psf.in_psf, "psf-r0-00051060.fits");
  EXPECT_EQ(psf.param, spex::read_psf(file("own", "psf").string()).param);
  EXPECT_EQ(spex::read_preproc(file("given", "preproc").string()).image,
            spex::read_preproc(file("own", "preproc").string()).image);
  options.folder = (folder_ / "own").string();  // would overwrite its own input
  EXPECT_THROW(simulate(options), spex::Error);
  options.folder = (folder_ / "given").string();
  options.cameras = spex::parse_cameras("z0");
  EXPECT_THROW(simulate(options), spex::Error);  // no wavelengths of z
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
  EXPECT_EQ(raw("PSFVER"), "'3       '");  // specter compares it as text
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

TEST_F(Simulate, ExposuresOfANight) {
  SimOptions options = tiny("night");
  options.exposures = 2;
  simulate(options);
  SimOptions second = tiny("second");
  second.expid = 51061;
  simulate(second);
  const auto of = [&](const char* folder, const char* kind, int expid) {
    return (folder_ / folder / (std::string(kind) + "-r0-000" + std::to_string(expid) + ".fits"))
        .string();
  };
  // One PSF and one truth for all exposures; each exposure has its own noise.
  EXPECT_TRUE(bytes_of(of("night", "psf", 51060)) == bytes_of(of("night", "psf", 51061)));
  EXPECT_EQ(spex::read_preproc(of("night", "preproc", 51061)).image,
            spex::read_preproc(of("second", "preproc", 51061)).image);
  EXPECT_NE(spex::read_preproc(of("night", "preproc", 51060)).image,
            spex::read_preproc(of("night", "preproc", 51061)).image);
  spex::FitsReader first(of("night", "preproc", 51060));
  spex::FitsReader next(of("night", "preproc", 51061));
  EXPECT_EQ(next.get_integer("EXPID"), 51061);
  EXPECT_NEAR((next.get_double("MJD-OBS") - first.get_double("MJD-OBS")) * 86400, 900 + 120, 1e-3);
}

TEST_F(Simulate, ExposuresMayHaveSeparatePsfs) {
  SimOptions options = tiny("a");
  simulate(options);
  const spex::Psf plain = spex::read_psf(file("a", "psf").string());
  options.exposures = 2;
  options.psf_shift = 0.4;
  simulate(options);
  const spex::Psf one = spex::read_psf(file("a", "psf").string());
  const spex::Psf other = spex::read_psf((folder_ / "a" / "psf-r0-00051061.fits").string());
  EXPECT_EQ(one.param, plain.param);
  EXPECT_NE(one.xtrace.coeff[0], other.xtrace.coeff[0]);
  for (const spex::Psf* psf : {&one, &other})
    for (const auto trace : {&spex::Psf::xtrace, &spex::Psf::ytrace}) {
      const double shift = (psf->*trace).coeff[0] - (plain.*trace).coeff[0];
      EXPECT_NE(shift, 0);
      EXPECT_LT(std::abs(shift), 0.4);
      const std::size_t second = static_cast<std::size_t>((plain.*trace).ncoeff);
      EXPECT_NEAR((psf->*trace).coeff[second] - (plain.*trace).coeff[second], shift, 1e-9);
    }
}

TEST_F(Simulate, RejectsImpossibleOptions) {
  const auto refused = [&](const auto& change) {
    SimOptions options = tiny("a");
    change(options);
    try {
      simulate(options);
    } catch (const spex::Error& error) {
      return error.kind() == spex::ErrorKind::usage;
    }
    return false;
  };
  EXPECT_TRUE(refused([](SimOptions& o) { o.folder = ""; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.expid = -1; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.expid = 100000000; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.exposures = 0; }));
  EXPECT_TRUE(refused([](SimOptions& o) {
    o.expid = 99999999;
    o.exposures = 2;
  }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.psf_shift = -0.1; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.psf_shift = std::nan(""); }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.cosmics.factor = -1; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.cosmics.factor = 101; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.cosmics.factor = std::nan(""); }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.cosmics.unmasked = -0.1; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.cosmics.unmasked = 1.1; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.cosmics.unmasked = std::nan(""); }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.compress_level = 0; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.compress_level = 10; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.night = 20240230; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.night = 7; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.exptime = 0; }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.exptime = std::nan(""); }));
  EXPECT_TRUE(refused([](SimOptions& o) { o.threads = 0; }));
  EXPECT_TRUE(refused([](SimOptions& o) {
    o.psf = "psf.fits";
    o.cameras = spex::parse_cameras("r0,b0");
  }));
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(Simulate, ReplacesNoFileUnasked) {
  SimOptions options = tiny("a");
  options.overwrite = false;
  simulate(options);
  const std::string before = bytes_of(file("a", "preproc"));
  options.seed = 2;
  for (const spex::Compress compress :
       {spex::Compress::none, spex::Compress::gz, spex::Compress::fz}) {
    options.compress = compress;
    try {
      simulate(options);
      ADD_FAILURE() << "no error";
    } catch (const spex::Error& error) {
      EXPECT_EQ(error.kind(), spex::ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("r0-00051060.fits: exists"), std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(bytes_of(file("a", "preproc")) == before);
  }
  // Other files may be there.
  options.expid = 51061;
  options.files = spex::SimFiles::truth;
  simulate(options);
  options.files = spex::SimFiles::inputs;
  simulate(options);
}

TEST_F(Simulate, LeavesNoFileInTwoForms) {
  SimOptions options = tiny("a");
  for (const spex::Compress compress :
       {spex::Compress::gz, spex::Compress::none, spex::Compress::fz, spex::Compress::gz}) {
    options.compress = compress;
    simulate(options);
    std::set<std::string> preprocs;
    for (const auto& entry : fs::directory_iterator(folder_ / "a"))
      if (entry.path().filename().string().starts_with("preproc"))
        preprocs.insert(entry.path().string());
    EXPECT_EQ(preprocs, std::set{output_name(options, "preproc", options.cameras[0])});
  }
}

TEST_F(Simulate, RejectsInvalidFolders) {
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THROW(simulate(tiny("file")), spex::Error);
  EXPECT_THROW(simulate(tiny("missing/folder")), spex::Error);
  EXPECT_FALSE(fs::exists(folder_ / "missing"));
}

}  // namespace
