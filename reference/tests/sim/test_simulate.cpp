// Simulations: identical bytes for identical options, existing files, errors for impossible
// options.

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/psf/spots.hpp"
#include "reference/sim/desi_psf.hpp"
#include "reference/sim/expected_image.hpp"
#include "reference/sim/outputs.hpp"
#include "reference/sim/simulate.hpp"
#include "reference/tests/sim/simulate_tiny.hpp"
#include "reference/tests/support/fields.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace {

namespace fs = std::filesystem;
using spex::SimOptions;
using spex::test::read_file;
using spex::test::Simulate;

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
      psf.push_back(read_file(file("a", "psf")));
      truth.push_back(read_file(file("a", "truth")));
      preproc.push_back(read_file(file("a", "preproc", ending)));
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
    preproc.push_back(read_file(file("a", "preproc")));
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

TEST_F(Simulate, TruthAloneHasTheSameBytes) {
  SimOptions options = tiny("a");
  options.cosmics = {3, 0.5};
  simulate(options);
  options.folder = (folder_ / "b").string();
  options.files = spex::SimFiles::truth;
  simulate(options);
  EXPECT_TRUE(read_file(file("a", "truth")) == read_file(file("b", "truth")));
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
  EXPECT_TRUE(read_file(of("night", "psf", 51060)) == read_file(of("night", "psf", 51061)));
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

// The traces turn in the middle of the CCD: no light falls on the rows above.
TEST(ExpectedImage, NoLightBeyondTheTraces) {
  spex::Psf psf = spex::test::make_psf({.nfiber = 2, .ny = 90});
  spex::Truth truth;
  for (double lambda = 950; lambda <= 1050; lambda += 0.5) truth.wave.push_back(lambda);
  truth.dw = 0.5;
  truth.nfiber = 2;
  truth.flux.assign(2 * truth.wave.size(), 100.0F);
  const auto light = [&](int first, int end) {
    const std::vector<double> image = expected_image(psf, truth, 1);
    return std::accumulate(image.begin() + first * psf.npix_x, image.begin() + end * psf.npix_x,
                           0.0);
  };
  EXPECT_GT(light(60, 90), 1000);
  psf.ytrace.ncoeff = 3;
  psf.ytrace.coeff = {10, 75, -75 / 0.6, 10, 75, -75 / 0.6};  // turn at 1010 Angstrom
  const double top = spot_center(psf, 0, 1010).y;
  ASSERT_NEAR(top, 80, 0.1);
  const double before = light(0, 90);
  EXPECT_GT(before, 1000);
  for (std::size_t w = 0; w < truth.wave.size(); ++w)
    for (const std::size_t s : {0, 1})
      if (truth.wave[w] > 1010) truth.flux[s * truth.wave.size() + w] = 0;
  EXPECT_EQ(light(0, 90), before);
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
  const std::string before = read_file(file("a", "preproc"));
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
    EXPECT_TRUE(read_file(file("a", "preproc")) == before);
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
