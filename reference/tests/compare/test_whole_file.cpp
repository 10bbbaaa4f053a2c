#include <filesystem>
#include <functional>

#include <fitsio.h>
#include <gmock/gmock.h>

#include "reference/compare/frame_headers.hpp"
#include "reference/compare/whole_file.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/io/write_frame.hpp"
#include "reference/tests/compare/frames.hpp"

namespace spex {
namespace {

using testing::HasSubstr;

const FrameOrigin asked{"spex-gpu", "pipeline", "cholesky"};

class FrameHeaders : public testing::Test {
 protected:
  void SetUp() override {
    write(path_, {{"NPATCH", 500LL, ""}});
    write(reference_, {{"NPATCH", 500LL, ""}});
  }

  void write(const std::string& path, std::vector<HeaderKeyword> keywords) const {
    const Frame frame = test::make_frame();
    FrameFileContent content;
    content.frame = &frame;
    content.camera = "r0";
    keywords.push_back({"CAMERA", std::string("r0"), ""});
    keywords.push_back({"EXPID", 1LL, ""});
    content.keywords = std::move(keywords);
    write_frame(path, content);
  }

  // The error after changing an HDU (counted from 1) and updating its checksums.
  std::string wrong_after(int hdu, const std::function<void(fitsfile*, int*)>& change) const {
    fitsfile* file = nullptr;
    int status = 0;
    fits_open_file(&file, path_.c_str(), READWRITE, &status);
    fits_movabs_hdu(file, hdu, nullptr, &status);
    change(file, &status);
    fits_write_chksum(file, &status);
    fits_close_file(file, &status);
    EXPECT_EQ(status, 0);
    return wrong_header(path_, "r0", reference_);
  }

  // The error after appending a card.
  std::string wrong_with(int hdu, const char* card) const {
    return wrong_after(hdu,
                       [&](fitsfile* file, int* status) { fits_write_record(file, card, status); });
  }

  test::ScratchFolder scratch_;
  std::string path_ = scratch_.file("frame.fits"), reference_ = scratch_.file("reference.fits");
};

TEST_F(FrameHeaders, EqualHeadersPass) {
  EXPECT_EQ(wrong_header(path_, "r0", reference_), "");
  EXPECT_EQ(wrong_header(path_, "r0", ""), "");
}

TEST_F(FrameHeaders, CameraInQuotesIsTheSame) {
  EXPECT_EQ(wrong_header(path_, "R0", ""), "");
  const auto put = [](const char* text) {
    return [=](fitsfile* file, int* status) {
      fits_update_key_str(file, "CAMERA", text, nullptr, status);
    };
  };
  for (const char* text : {"'r0      '", " R0 "}) {
    wrong_after(1, put(text));
    EXPECT_EQ(wrong_header(path_, "r0", ""), "") << text;
  }
  wrong_after(1, put("'z0'"));
  EXPECT_EQ(wrong_header(path_, "r0", ""), "CAMERA is ''z0'' (expected r0)");
}

TEST_F(FrameHeaders, NameMustMatchTheCompression) {
  const std::string zipped = scratch_.file("frame.fits.gz"), named = scratch_.file("zipped.fits"),
                    plain = scratch_.file("plain.fits.gz");
  write(zipped, {{"NPATCH", 500LL, ""}});
  EXPECT_EQ(wrong_header(zipped, "r0", reference_), "");
  std::filesystem::copy(zipped, named);
  std::filesystem::copy(path_, plain);
  EXPECT_EQ(wrong_header(named, "r0", reference_), "is gzip (expected plain, by its name)");
  EXPECT_EQ(wrong_header(plain, "r0", reference_), "is plain (expected gzip, by its name)");
}

TEST_F(FrameHeaders, ExtraKeywordFails) {
  EXPECT_EQ(wrong_with(1, "CDELT1  =                  7.0"),
            "HDU FLUX: CDELT1 is 7.0 (expected none)");
}

TEST_F(FrameHeaders, KeywordThatChangesTheDataFails) {
  EXPECT_EQ(wrong_with(2, "TSCAL1  =                  2.0"),
            "HDU IVAR: TSCAL1 is 2.0 (expected none)");
}

TEST_F(FrameHeaders, DuplicateKeywordFails) {
  EXPECT_EQ(wrong_with(1, "EXPID   =                    1"), "HDU FLUX: EXPID occurs twice");
  EXPECT_EQ(wrong_header(path_, "r0", ""), "HDU FLUX: EXPID occurs twice");
}

TEST_F(FrameHeaders, ProgramKeywordsMayBeExtraButNotDuplicate) {
  EXPECT_EQ(wrong_with(1, "NGUARD  =                    3"), "");
  EXPECT_EQ(wrong_with(1, "DEPNAM07= 'cuda'"), "");
  EXPECT_EQ(wrong_with(1, "HISTORY once"), "");
  EXPECT_EQ(wrong_with(1, "HISTORY twice"), "");
  EXPECT_EQ(wrong_with(1, "COMMENT and more"), "");
  EXPECT_EQ(wrong_with(1, "NGUARD  =                    4"), "HDU FLUX: NGUARD occurs twice");
}

TEST_F(FrameHeaders, FailedPatchesMustMatchTheReference) {
  write(reference_, {{"NPATCH", 500LL, ""}, {"NFAILED", 0LL, ""}});
  write(path_, {{"NPATCH", 500LL, ""}, {"NFAILED", 2LL, ""}});
  EXPECT_EQ(wrong_header(path_, "r0", reference_), "HDU FLUX: NFAILED is 2 (expected 0)");
}

TEST_F(FrameHeaders, TextOfSeveralCardsIsOneKeyword) {
  const std::vector<HeaderKeyword> keywords{{"NPATCH", 500LL, ""},
                                            {"IN_IMG", std::string(200, 'x'), "image file"}};
  write(path_, keywords);
  EXPECT_EQ(wrong_header(path_, "r0", reference_), "");
}

class Origin : public FrameHeaders {
 protected:
  void SetUp() override { make("spex-gpu", "pipeline", "cholesky"); }
  void make(const char* program, const char* milestone, const char* method) const {
    write(path_, {{"SPEXPROG", std::string(program), ""},
                  {"MILESTNE", std::string(milestone), ""},
                  {"METHOD", std::string(method), ""}});
  }
};

TEST_F(Origin, MatchingOriginPasses) {
  EXPECT_EQ(wrong_origin(read_frame(path_), asked), "");
}

TEST_F(Origin, ProgramMilestoneAndMethodMustMatch) {
  make("spex-cpu", "pipeline", "cholesky");
  EXPECT_EQ(wrong_origin(read_frame(path_), asked), "SPEXPROG is 'spex-cpu' (expected spex-gpu)");
  make("spex-gpu", "direct", "cholesky");
  EXPECT_EQ(wrong_origin(read_frame(path_), asked), "MILESTNE is 'direct' (expected pipeline)");
  make("spex-gpu", "pipeline", "eigh");
  EXPECT_EQ(wrong_origin(read_frame(path_), asked), "METHOD is 'eigh' (expected cholesky)");
}

TEST_F(FrameHeaders, SpexBenchAndSpexCompareHaveTheSameChecks) {
  const FrameFile expected = read_frame(reference_);
  const auto failures = [&] {
    std::vector<std::string> found;
    for (const Check& check : compare_whole_file(read_frame(path_), &expected, "r0"))
      if (!check.ok()) found.push_back(describe_failure(check));
    return found;
  };
  EXPECT_THAT(failures(), testing::IsEmpty());
  static_cast<void>(wrong_with(1, "CDELT1  =                  7.0"));
  EXPECT_THAT(failures(), testing::ElementsAre(HasSubstr("CDELT1 is 7.0 (expected none)")));
}

}  // namespace
}  // namespace spex
