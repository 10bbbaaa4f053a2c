// The forms .fits, .fits.gz and .fits.fz of a file.
#include <string>
#include <vector>

#include "reference/core/error.hpp"
#include "reference/fits/file_forms.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/same_file.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"

namespace spex {
namespace {

using test::expect_data_error;
using Names = std::vector<std::string>;

class FileForms : public test::Scratch {
 protected:
  void make(const std::string& name) { test::write_bytes(path(name), {}); }
};

TEST_F(FileForms, ExistingForms) {
  for (const char* name : {"a.fits", "a.fits.gz", "a.fits.fz", "b.fits.gz", "c", "c.gz"})
    make(name);
  EXPECT_EQ(existing_forms(path("a.fits.gz")),
            (Names{path("a.fits.gz"), path("a.fits"), path("a.fits.fz")}));
  EXPECT_EQ(existing_forms(path("b.fits")), (Names{path("b.fits.gz")}));
  EXPECT_EQ(existing_forms(path("c")), (Names{path("c")}));
  EXPECT_EQ(existing_forms(path("d.fits")), Names{});
  EXPECT_EQ(existing_forms(""), Names{});
}

TEST_F(FileForms, TheFileItselfCountsBeforeItsOtherForms) {
  for (const char* name : {"a.fits", "a.fits.gz", "b.fits.gz", "c.fits.gz", "c.fits.fz"})
    make(name);
  EXPECT_EQ(find_form(path("a.fits")), path("a.fits"));
  EXPECT_EQ(find_form(path("a.fits.gz")), path("a.fits.gz"));
  EXPECT_EQ(find_form(path("b.fits")), path("b.fits.gz"));
  EXPECT_EQ(find_form(path("b.fits.fz")), path("b.fits.gz"));
  EXPECT_EQ(find_form(path("none.fits")), path("none.fits"));
  expect_data_error([&] { static_cast<void>(find_form(path("c.fits"))); }, path("c.fits"),
                    "no such file, but " + path("c.fits.gz") + " and " + path("c.fits.fz"),
                    "one of them");
}

TEST_F(FileForms, SecondFormOfAnOutput) {
  make("a.fits");
  EXPECT_NO_THROW(refuse_second_form(path("a.fits")));
  EXPECT_NO_THROW(refuse_second_form(path("b.fits")));
  expect_data_error([&] { refuse_second_form(path("a.fits.gz")); }, path("a.fits.gz"),
                    "exists already as " + path("a.fits"), "no other form");
}

TEST_F(FileForms, NamesOfOneFile) {
  EXPECT_EQ(name_of_all_forms(path("a.fits.gz")), name_of_all_forms(path("./a.fits")));
  EXPECT_NE(name_of_all_forms(path("a.gz")), name_of_all_forms(path("a")));
}

// An output must not replace an input that is read in its other form, nor be a form of the other.
TEST_F(FileForms, OutputsAndInputs) {
  make("a.fits.gz");
  EXPECT_THROW(refuse_overwriting({path("a.fits.gz")}, {path("a.fits")}), Error);
  EXPECT_THROW(refuse_overwriting({path("b.fits"), path("b.fits.gz")}, {}), Error);
  EXPECT_NO_THROW(refuse_overwriting({path("b.fits"), path("c.fits.gz")}, {path("a.fits")}));
}

TEST_F(FileForms, ReadersFindEitherForm) {
  const std::string plain = test::golden("tiny-b/preproc.fits");
  atomic_write(path("a.fits.gz"), test::read_bytes(plain));
  FitsReader packed(path("a.fits"));
  EXPECT_EQ(packed.path(), path("a.fits.gz"));
  EXPECT_TRUE(packed.find_hdu("MASK"));
  test::write_bytes(path("b.fits"), test::read_bytes(plain));
  EXPECT_EQ(FitsReader(path("b.fits.gz")).path(), path("b.fits"));
  expect_data_error([&] { FitsReader(path("c.fits")); }, path("c.fits"), "no such file",
                    "a FITS file");
}

}  // namespace
}  // namespace spex
