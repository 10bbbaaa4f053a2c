// A gzip file inflated as a whole by a WholeInflater gives the values, or the message, of the
// reader's own inflate.
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fitsio.h>
#include <fmt/format.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"
#include "reference/tests/support/zlib_inflater.hpp"

namespace spex {
namespace {

using test::FitsEdit;
using test::Inflates;
using test::ZlibInflater;
using Content = std::vector<char>;

const std::string image = test::golden("tiny-b/preproc.fits");

template <class Value>
std::string bytes_of(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

// What `act` returns, or the message of its error.
template <class Act>
std::string said(const Act& act) {
  try {
    return act();
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

// All that a reader can say about an HDU.
std::string text_of_hdu(FitsReader& reader) {
  std::string text = reader.hdu_name() + "\n";
  for (const std::string& card : reader.user_cards()) text += card + "\n";
  if (!reader.is_image())
    return text + said([&] { return bytes_of(read_integer_column(reader, "FIBER")); });
  text += said([&] { return bytes_of(reader.image_axes()); });
  text += said([&] { return bytes_of(reader.read_doubles()); });
  text += said([&] { return bytes_of(reader.read_bits()); });
  return text;
}

// All that a reader can say about a file.
std::string text_of(const std::string& file, FitsReadOptions options, WholeInflater* inflater) {
  options.inflater = inflater;
  return said([&] {
    FitsReader reader(file, options);
    std::string text =
        fmt::format("{} bytes, {} HDUs, end at {}\n", reader.size(), reader.hdus(), reader.end());
    for (int number = 1; number <= reader.hdus(); ++number) {
      reader.move_to_number(number);
      text += said([&] { return text_of_hdu(reader); });
    }
    return text;
  });
}

class WholeFile : public test::Scratch {
 protected:
  // The same with the inflater as without. Returns how many files it inflated.
  int expect_same(const std::string& file, const FitsReadOptions& options = {}) {
    ZlibInflater inflater;
    const std::string alone = text_of(file, options, nullptr);
    EXPECT_TRUE(text_of(file, options, &inflater) == alone) << alone.substr(0, 200);
    return inflater.inflated;
  }
  int expect_same(const Content& bytes) {
    test::write_bytes(path("a.fits.gz"), bytes);
    return expect_same(path("a.fits.gz"));
  }
  Content gzip(const Content& bytes) {
    atomic_write(path("packed.gz"), bytes);
    return test::read_bytes(path("packed.gz"));
  }
};

TEST_F(WholeFile, SameValues) {
  EXPECT_EQ(expect_same(gzip(test::read_bytes(image))), 1);
  EXPECT_EQ(expect_same(gzip(test::read_bytes(test::golden("tiny-b/psf.fits")))), 1);
  EXPECT_EQ(expect_same(gzip(test::with_narrow_mask(image, 39000).bytes())), 1);
  EXPECT_EQ(expect_same(gzip(test::with_wide_mask(image, 39000).bytes())), 1);
  EXPECT_EQ(expect_same(gzip(FitsEdit(image).add("IVAR", "BSCALE", "0.5").bytes())), 1);
  for (const int compression : {RICE_1, GZIP_1, GZIP_2})
    EXPECT_EQ(expect_same(gzip(test::packed(image, compression))), 1);
}

TEST_F(WholeFile, BytesInMemory) {
  const Content file = gzip(test::read_bytes(image));
  ZlibInflater inflater;
  FitsReader alone(file, "a.gz"), inflated(file, "a.gz", {.inflater = &inflater});
  EXPECT_EQ(inflater.inflated, 1);
  for (FitsReader* one : {&alone, &inflated}) one->move_to_hdu("IVAR");
  EXPECT_EQ(inflated.read_reals(), alone.read_reals());
}

// Only gzip files are inflated.
TEST_F(WholeFile, PlainFiles) {
  EXPECT_EQ(expect_same(image), 0);
  test::write_bytes(path("a.fits.fz"), test::packed(image, RICE_1));
  EXPECT_EQ(expect_same(path("a.fits.fz")), 0);
}

TEST_F(WholeFile, FilesThatAreDamagedOrCut) {
  const Content whole = gzip(test::read_bytes(image));
  ASSERT_GT(whole.size(), 40000U);
  for (std::size_t size = 1; size < whole.size(); size += 1 + whole.size() / 13)
    EXPECT_EQ(expect_same(Content(whole.begin(), whole.begin() + static_cast<long>(size))), 0);
  for (std::size_t at = 3; at < whole.size(); at += whole.size() / 13) {
    Content damaged = whole;
    damaged[at] ^= 4;
    expect_same(damaged);
  }
  for (const std::size_t at : {std::size_t{8}, std::size_t{1}}) {  // checksum, size
    Content damaged = whole;
    damaged[damaged.size() - at] ^= 1;
    EXPECT_EQ(expect_same(damaged), 0);
  }
}

TEST_F(WholeFile, StreamsAndOtherBytesBehindTheFirst) {
  const Content bytes = test::read_bytes(image);
  const std::size_t half = 2880;
  const Content first = gzip({bytes.begin(), bytes.begin() + half});
  const Content second = gzip({bytes.begin() + half, bytes.end()});
  const auto joined = [](Content one, const Content& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
  };
  EXPECT_EQ(expect_same(joined(first, second)), 0);
  EXPECT_EQ(expect_same(joined(gzip(bytes), {'x', 'y', 'z'})), 0);
  EXPECT_EQ(expect_same(joined(gzip(bytes), Content(100, '\0'))), 0);
}

TEST_F(WholeFile, ContentsThatAreNotAWholeFitsFile) {
  const Content whole = test::read_bytes(image);
  const auto begin = whole.begin();
  EXPECT_EQ(expect_same(gzip({})), 1) << "the file is larger than its content";
  const std::string text = "This is a text, and long enough to be read.\n";
  EXPECT_EQ(expect_same(gzip({text.begin(), text.end()})), 1);
  for (const std::size_t size : {std::size_t{100}, std::size_t{2880}, std::size_t{3000},
                                 whole.size() / 2, whole.size() - 2880, whole.size() - 1})
    EXPECT_EQ(expect_same(gzip({begin, begin + static_cast<long>(size)})), 1);
  for (const char more : {'\0', 'x'})
    for (const std::size_t size : {1, 100, 2880, 6000}) {
      Content longer = whole;
      longer.resize(whole.size() + size, more);
      EXPECT_EQ(expect_same(gzip(longer)), 1);
    }
  EXPECT_EQ(expect_same(gzip(FitsEdit(image).set("IVAR", "BITPIX", "-33").bytes())), 1);
  EXPECT_EQ(expect_same(gzip(FitsEdit(image).set("FIBERMAP", "NAXIS2", "1000").bytes())), 1);
}

TEST_F(WholeFile, WrongChecksums) {
  for (const char* hdu : {"IMAGE", "IVAR", "MASK", "FIBERMAP"}) {
    FitsEdit edit(image);
    edit.hdu(hdu).data[100] ^= 1;
    test::write_bytes(path("a.fits.gz"), gzip(edit.with_old_sums().bytes()));
    EXPECT_EQ(expect_same(path("a.fits.gz")), 1);
    EXPECT_EQ(expect_same(path("a.fits.gz"), {.checksums = false}), 1);
    ZlibInflater inflater;
    FitsReader reader(path("a.fits.gz"), {.inflater = &inflater});
    reader.move_to_hdu(hdu);
    EXPECT_EQ(reader.sums().data, Sum::wrong);
  }
}

TEST_F(WholeFile, ImagesThatAreNotAskedFor) {
  const std::string file = path("a.fits.gz");
  atomic_write(file, test::read_bytes(image));
  ZlibInflater inflater;
  FitsReader reader(file, {.images = {"IVAR"}, .inflater = &inflater});
  EXPECT_EQ(inflater.inflated, 1);
  reader.move_to_hdu("IVAR");
  EXPECT_EQ(reader.read_reals().size(), 39000U);
  EXPECT_TRUE(reader.find_hdu("MASK"));
  EXPECT_THROW(static_cast<void>(reader.read_bits()), std::logic_error);
}

// The file is then read by the reader's own inflate.
TEST_F(WholeFile, InflatersThatDoNot) {
  const std::string file = path("a.fits.gz");
  atomic_write(file, test::read_bytes(image));
  const std::string alone = text_of(file, {}, nullptr);
  EXPECT_TRUE(alone.find("HDU FIBERMAP") != std::string::npos);
  for (const Inflates what : {Inflates::refuses, Inflates::nothing, Inflates::empty}) {
    ZlibInflater inflater(what);
    const FitsReader reader(file, {.inflater = &inflater});
    EXPECT_EQ(inflater.asked, 1);
    EXPECT_TRUE(text_of(file, {}, &inflater) == alone);
  }
}

TEST_F(WholeFile, MemoryIsKeptUntilTheFileIsClosed) {
  const std::string file = path("a.fits.gz");
  atomic_write(file, test::read_bytes(image));
  ZlibInflater inflater;
  FitsReader reader(file, {.inflater = &inflater});
  FitsReader moved = std::move(reader);
  moved.move_to_hdu("IVAR");
  EXPECT_EQ(moved.read_reals().size(), 39000U);
}

TEST_F(WholeFile, DeviceErrorsAreErrors) {
  const std::string file = path("a.fits.gz");
  atomic_write(file, test::read_bytes(image));
  ZlibInflater inflater(Inflates::device_error);
  try {
    const FitsReader reader(file, {.inflater = &inflater});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
  }
}

}  // namespace
}  // namespace spex
