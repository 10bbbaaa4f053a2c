// Synthetic frames of ours and of DESI's pipeline that agree, and a fixture that compares them.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "reference/compare/production/compare_pair.hpp"
#include "reference/compare/production/production_report.hpp"
#include "reference/frame/bad_2d_fits.hpp"
#include "reference/frame/scores.hpp"
#include "reference/io/write_frame.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::test {

inline constexpr int nspec = 10;  // two bundles of five fibers, each its own subbundle
inline constexpr int nwave = 90;  // three patches of 30 bins
inline constexpr int nwavestep = 30;
inline constexpr int ndiag = 2;
inline constexpr double first_wave = 6000, dw = 0.8;

/// The simulated light of a fiber at a bin that may lie between bins: lines on a continuum, S/N of
/// about 30.
inline double light(int s, double w) {
  double flux = 500 + 20 * s + 2 * w;
  for (int line = 0; line < 4; ++line) {
    const double from_line = w - (8 + 21 * line + 1.7 * s);
    flux += (600 + 50 * line) * std::exp(-from_line * from_line / 8);
  }
  return flux;
}

/// A frame as both pipelines extract it.
inline Frame make_pipeline_frame() {
  Frame frame;
  frame.nspec = nspec;
  frame.nwave = nwave;
  frame.ndiag = ndiag;
  frame.dw = dw;
  for (int w = 0; w < nwave; ++w) frame.wave.push_back(first_wave + dw * w);
  std::vector<double> resolution;
  for (int s = 0; s < nspec; ++s) {
    for (int w = 0; w < nwave; ++w) {
      frame.flux.push_back(light(s, w));
      frame.ivar.push_back(1e-3 * (1 + 0.2 * std::sin(0.3 * w + s)));
      frame.mask.push_back(w == 40 && s % 3 == 0 ? specmask::SOMEBADPIX : 0U);
      frame.chi2pix.push_back(1 + 0.3 * std::cos(0.7 * w + 2 * s));
      frame.pixmask_fraction.push_back(w == 40 && s % 3 == 0 ? 0.6 : 0);
    }
    for (int d = 0; d < 2 * ndiag + 1; ++d)
      for (int w = 0; w < nwave; ++w)
        resolution.push_back((d == ndiag  ? 0.6
                              : d > ndiag ? 0.18 / (d - 1)
                                          : 0.12 / (3 - d)) *
                             (1 + 0.001 * w + 0.01 * s));
  }
  frame.chi2pix[static_cast<std::size_t>(4) * nwave + 55] = 150;  // a bad fit by either rule
  frame.chi2pix[static_cast<std::size_t>(7) * nwave + 20] = 30;   // a bad fit relative to medians
  frame.resolution = Reals(std::move(resolution));
  flag_bad_2d_fits(frame, Bad2dFit::relative);
  return frame;
}

/// A FIBERMAP with FIBER, TARGETID and FIBERSTATUS.
inline Fibermap make_pipeline_fibermap(const std::vector<int>& status = std::vector<int>(nspec,
                                                                                         0)) {
  FitsMemory memory("FIBERMAP");
  Fibermap fibermap;
  std::vector<int> fiber(nspec);
  std::vector<long long> target(nspec);
  for (int s = 0; s < nspec; ++s) {
    fiber[s] = s;
    target[s] = 39627000000000000LL + 7 * s;
    fibermap.fiber.push_back(s);
  }
  std::string names[] = {"FIBER", "TARGETID", "FIBERSTATUS"}, forms[] = {"J", "K", "J"};
  char* name[] = {names[0].data(), names[1].data(), names[2].data()};
  char* form[] = {forms[0].data(), forms[1].data(), forms[2].data()};
  int state = 0;
  fits_create_img(memory.get(), BYTE_IMG, 0, nullptr, &state);
  fits_create_tbl(memory.get(), BINARY_TBL, nspec, 3, name, form, nullptr, "FIBERMAP", &state);
  fits_write_col(memory.get(), TINT, 1, 1, 1, nspec, fiber.data(), &state);
  fits_write_col(memory.get(), TLONGLONG, 2, 1, 1, nspec, target.data(), &state);
  fits_write_col(memory.get(), TINT, 3, 1, 1, nspec, const_cast<int*>(status.data()), &state);
  fits_check(state, "FIBERMAP", "cannot be created");
  fibermap.fits = memory.take();
  return fibermap;
}

/// What one of the two files holds.
struct PipelineFile {
  Frame frame = make_pipeline_frame();
  Fibermap fibermap = make_pipeline_fibermap();
  std::vector<HeaderKeyword> keywords;
  bool scores = true;
  bool full_precision = true;

  /// Replaces or adds a keyword.
  void set(const std::string& name, std::variant<std::string, long long, double, bool> value,
           const std::string& comment = "") {
    std::erase_if(keywords, [&](const HeaderKeyword& one) { return one.name == name; });
    keywords.push_back({name, std::move(value), comment});
  }
  void remove(const std::string& name) {
    std::erase_if(keywords, [&](const HeaderKeyword& one) { return one.name == name; });
  }
};

/// Keywords of any frame, then those of one program.
inline std::vector<HeaderKeyword> common_keywords() {
  return {{"CAMERA", std::string("r0"), ""},
          {"EXPID", 3LL, ""},
          {"EXPTIME", 900.0, ""},
          {"OBJECT",
           std::string("a long text that does not fit into one card of a header, which has "
                       "eighty characters"),
           ""},
          {"NSPEC", static_cast<long long>(nspec), ""},
          {"HELIOCOR", 1.00005, ""}};
}
inline PipelineFile our_file() {
  PipelineFile file;
  file.keywords = common_keywords();
  file.set("SPEXPROG", std::string("spex-gpu"));
  file.set("SPECTER", std::string("spexbench 1.0.0"));
  file.set("IN_IMG", std::string("mine/preproc/preproc-r0-00000003.fits"));
  file.set("BUNDLESZ", 5LL);
  file.set("NSUBBUN", 5LL);
  file.set("NWAVESTP", static_cast<long long>(nwavestep));
  file.set("PSFERR", 0.01);
  return file;
}
inline PipelineFile production_file() {
  PipelineFile file;
  file.keywords = common_keywords();
  file.set("CAMERA", std::string("R0"));
  file.set("SPECTER", std::string("0.3.0"), "https://github.com/desihub/gpu_specter");
  file.set("IN_IMG", std::string("SPECPROD/preproc/20260616/00000003/preproc-r0-00000003.fits.gz"));
  file.set("DEPNAM00", std::string("desispec"));
  file.set("DEPVER00", std::string("0.71.6"));
  return file;
}

/// Writes a frame with the keywords of a PipelineFile.
inline void write_pipeline_file(const std::string& path, const PipelineFile& file) {
  FrameFileContent content;
  content.frame = &file.frame;
  content.camera = "r0";
  content.fibermap = &file.fibermap;
  content.keywords = file.keywords;
  content.full_precision = file.full_precision;
  const Scores scores = compute_scores(file.frame, "r0");
  content.scores = file.scores ? &scores : nullptr;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  write_frame(path, content);
}

/// Two files that agree, to be changed by a test, and their comparison.
class ProductionFrames : public testing::Test {
 protected:
  /// Index of bin (s, w) and of element (s, d, w) of R.
  [[nodiscard]] static std::size_t at(int s, int w) {
    return static_cast<std::size_t>(s) * nwave + w;
  }
  [[nodiscard]] static std::size_t at(int s, int d, int w) {
    return static_cast<std::size_t>(s * (2 * ndiag + 1) + d) * nwave + w;
  }

  [[nodiscard]] std::string our_path() const { return scratch.file("ours/frame-r0-00000003.fits"); }
  [[nodiscard]] std::string production_path() const {
    return scratch.file("production/frame-r0-00000003.fits");
  }

  /// Writes both files, and compares them.
  [[nodiscard]] PairReport compare(const std::string& tolerance = "masked") const {
    write_pipeline_file(our_path(), ours);
    write_pipeline_file(production_path(), production);
    return compare_pair({"r0", "00000003", our_path(), production_path()},
                        read_tolerance(tolerance));
  }

  /// The differences that are not expected, as "HDU what (fibers)".
  [[nodiscard]] static std::vector<std::string> wrong(const PairReport& report) {
    std::vector<std::string> all;
    if (!report.error.empty()) all.push_back(report.error);
    for (const Difference& one : report.differences)
      if (!one.expected())
        all.push_back(one.hdu + " " + one.what +
                      (one.fibers.empty() ? "" : " (" + ranges(one.fibers) + ")"));
    return all;
  }

  /// Number of values that differ for this reason, in any HDU or the one given.
  [[nodiscard]] static long long count(const PairReport& report, Reason reason,
                                       const std::string& hdu = "") {
    long long sum = 0;
    for (const Difference& one : report.differences)
      if (one.reason == reason && (hdu.empty() || one.hdu == hdu)) sum += one.count;
    return sum;
  }

  const ScratchFolder scratch;
  PipelineFile ours = our_file(), production = production_file();
};

}  // namespace spex::test
