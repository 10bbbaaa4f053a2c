#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "reference/fits/write/atomic_write.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"
#include "reference/tests/fits/small_disk.hpp"

namespace spex {
namespace {

using test::expect_data_error;
using test::read_bytes;
using test::SmallDisk;

std::vector<char> many_bytes() {
  std::vector<char> bytes(3'000'000);
  unsigned state = 1;
  for (char& byte : bytes) {  // an incompressible sequence
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

std::vector<char> gunzip(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::vector<char> bytes(8'000'000);
  EXPECT_EQ(gzdirect(file), 0) << "not gzip";
  const int size = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  EXPECT_EQ(gzclose(file), Z_OK);
  bytes.resize(std::max(0, size));
  return bytes;
}

// Bytes of the gzip stream that one run of zlib writes.
std::size_t zlib_size(std::vector<char> bytes, int level) {
  constexpr int gzip_window = 15 + 16;
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY);
  std::vector<unsigned char> packed(deflateBound(&stream, bytes.size()));
  stream.next_in = reinterpret_cast<unsigned char*>(bytes.data());
  stream.avail_in = static_cast<unsigned>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<unsigned>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  deflateEnd(&stream);
  return stream.total_out;
}

class AtomicWrite : public test::Scratch {
 protected:
  static void expect_bad(const std::string& file, const std::string& wrong,
                         const std::string& expected) {
    expect_data_error([&] { atomic_write(file, many_bytes()); }, file, wrong, expected);
  }
};

TEST_F(AtomicWrite, WritesExactlyTheBytes) {
  const std::vector<char> bytes = many_bytes();
  atomic_write(path("a"), bytes);
  EXPECT_EQ(read_bytes(path("a")), bytes);
  atomic_write(path("empty"), {});
  EXPECT_TRUE(read_bytes(path("empty")).empty());
  EXPECT_EQ(files(), 2);
}

TEST_F(AtomicWrite, GzipOfTheSameBytes) {
  const std::vector<char> bytes = many_bytes();
  atomic_write(path("a.gz"), bytes);
  EXPECT_EQ(gunzip(path("a.gz")), bytes);
  atomic_write(path("b.gz"), bytes);
  EXPECT_EQ(read_bytes(path("a.gz")), read_bytes(path("b.gz")));
  atomic_write(path("empty.gz"), {});
  EXPECT_TRUE(gunzip(path("empty.gz")).empty());
}

// Float32 noise, in which half of the bits are random.
std::vector<char> noisy_floats() {
  std::vector<char> bytes;
  unsigned state = 1;
  for (int k = 0; k < 900'001; ++k) {
    state = state * 1664525U + 1013904223U;
    const float value = 100 + static_cast<float>(state >> 20);
    const auto* chars = reinterpret_cast<const char*>(&value);
    bytes.insert(bytes.end(), chars, chars + sizeof value);
  }
  return bytes;
}

TEST_F(AtomicWrite, GzipByLevelsAndThreads) {
  for (const std::vector<char>& bytes : {noisy_floats(), many_bytes(), std::vector<char>(1 << 20)})
    for (const int level : {1, 2, 6}) {
      atomic_write(path("one.gz"), bytes, {level, 1});
      EXPECT_EQ(gunzip(path("one.gz")), bytes);
      EXPECT_LE(read_bytes(path("one.gz")).size(), bytes.size() + bytes.size() / 1000 + 1000);
      for (const int threads : {2, 3, 5}) {
        atomic_write(path("many.gz"), bytes, {level, threads});
        EXPECT_EQ(read_bytes(path("many.gz")), read_bytes(path("one.gz")));
      }
    }
  atomic_write(path("a.gz"), noisy_floats());
  EXPECT_LT(read_bytes(path("a.gz")).size(), noisy_floats().size() * 8 / 10);
}

// Where a piece ends within a byte, the next one may hold bytes as they are, which begin at a whole
// byte of the stream.
TEST_F(AtomicWrite, GzipAsZlibOfBytesThatDoNotCompress) {
  const std::vector<char> floats = noisy_floats(), random = many_bytes();
  for (std::ptrdiff_t from = 0; from < 8; ++from) {
    std::vector<char> bytes(floats.begin() + from, floats.begin() + from + (1 << 20));
    bytes.insert(bytes.end(), random.begin(), random.begin() + (3 << 19));
    bytes.insert(bytes.end(), floats.begin() + from, floats.begin() + from + (1 << 20));
    const int level = from == 0 ? 9 : 1;  // of zlib; pieces are joined alike
    atomic_write(path("one.gz"), bytes, {level, 1, true});
    EXPECT_EQ(gunzip(path("one.gz")), bytes) << from;
    atomic_write(path("many.gz"), bytes, {level, 3, true});
    EXPECT_EQ(read_bytes(path("many.gz")), read_bytes(path("one.gz")));
  }
}

// The size is that of zlib's own stream, and a few bytes for the end of each of three pieces.
TEST_F(AtomicWrite, GzipAsZlib) {
  const auto noisy = [](std::size_t size) {
    std::vector<char> bytes = noisy_floats();
    bytes.resize(size);
    return bytes;
  };
  std::vector<char> incompressible = many_bytes();
  incompressible.resize((1 << 20) + 1);
  for (const std::vector<char>& bytes :
       {noisy(1'500'000), noisy(1 << 21), incompressible, std::vector<char>(3 << 20, 'x'),
        std::vector<char>{}, std::vector<char>{'a'}})
    for (const int level : {1, 9}) {
      atomic_write(path("one.gz"), bytes, {level, 1, true});
      EXPECT_EQ(gunzip(path("one.gz")), bytes);
      atomic_write(path("many.gz"), bytes, {level, 3, true});
      EXPECT_EQ(read_bytes(path("many.gz")), read_bytes(path("one.gz")));
      const std::size_t own = zlib_size(bytes, level);
      const std::size_t size = read_bytes(path("one.gz")).size();
      EXPECT_NEAR(static_cast<double>(size), static_cast<double>(own),
                  100 + static_cast<double>(own) / 1000)
          << bytes.size() << " bytes, level " << level;
    }
}

// A mark between pieces: an empty stored block, which zlib alone does not write.
TEST_F(AtomicWrite, GzipAsZlibHasNoMarks) {
  const std::string mark("\0\0\xff\xff", 4);
  const auto has_mark = [&](const GzipSettings& settings) {
    atomic_write(path("a.gz"), std::vector<char>(3 << 20, 'x'), settings);
    const std::vector<char> packed = read_bytes(path("a.gz"));
    return std::string(packed.begin(), packed.end()).find(mark) != std::string::npos;
  };
  EXPECT_TRUE(has_mark({6, 1, false}));
  EXPECT_FALSE(has_mark({6, 1, true}));
}

TEST_F(AtomicWrite, GzipNeedsAThread) {
  EXPECT_THROW(atomic_write(path("a.gz"), many_bytes(), {1, 0}), std::logic_error);
  EXPECT_FALSE(std::filesystem::exists(path("a.gz")));
}

// Writes the second half first, as two threads might.
void put_halves(const std::string& path, const std::vector<char>& bytes) {
  atomic_write(path, bytes.size(), [&](const PutPart& put) {
    const std::span<const char> all(bytes);
    const std::size_t half = bytes.size() / 2;
    put(half, all.subspan(half));
    put(0, all.first(half));
  });
}

TEST_F(AtomicWrite, PartsInAnyOrder) {
  put_halves(path("a"), many_bytes());
  EXPECT_EQ(read_bytes(path("a")), many_bytes());
  put_halves(path("a.gz"), many_bytes());
  EXPECT_EQ(gunzip(path("a.gz")), many_bytes());
  EXPECT_EQ(files(), 2);
}

TEST_F(AtomicWrite, FullDiskLeavesNothingOfParts) {
  {
    const SmallDisk disk(100'000);
    for (const char* name : {"a", "a.gz"})
      expect_data_error([&] { put_halves(path(name), many_bytes()); }, path(name),
                        "cannot be written: File too large", "");
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(AtomicWrite, ReplacesAnOutput) {
  test::write_bytes(path("a"), {'o', 'l', 'd'});
  atomic_write(path("a"), std::vector<char>{'n', 'e', 'w', '!'});
  EXPECT_EQ(read_bytes(path("a")), (std::vector<char>{'n', 'e', 'w', '!'}));
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicWrite, FullDiskLeavesNothing) {
  {
    const SmallDisk disk(100'000);
    expect_bad(path("a"), "cannot be written: File too large", "");
    expect_bad(path("a.gz"), "cannot be written: File too large", "");
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(AtomicWrite, FullDiskLeavesTheOldOutput) {
  test::write_bytes(path("a"), {'o', 'l', 'd'});
  {
    const SmallDisk disk(100'000);
    expect_bad(path("a"), "cannot be written: File too large", "");
  }
  EXPECT_EQ(read_bytes(path("a")), (std::vector<char>{'o', 'l', 'd'}));
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicWrite, UnusableFoldersAreRejected) {
  expect_bad(path("absent/a"), "its folder does not exist", "an existing folder");
  test::write_bytes(path("file"), {'x'});
  expect_bad(path("file/a"), "is not a folder", "an existing folder");
  std::filesystem::create_directory(path("folder"));
  expect_bad(path("folder"), "is a folder", "a file name");
  expect_bad(path(std::string(300, 'x')), "cannot be written: File name too long", "");
  EXPECT_EQ(files(), 2);
}

TEST_F(AtomicWrite, NeitherDevicesNorPipesAreReplaced) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  expect_bad(path("pipe"), "is a device or a pipe", "a file name");
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
}

// A process that is killed while writing leaves its temporary file.
TEST_F(AtomicWrite, TemporaryFilesOfKilledProcessesAreRemoved) {
  const std::string mine = path("a");
  for (const char* name : {".a.tmp-17-0", ".a.tmp-17-1"}) test::write_bytes(path(name), {'x'});
  // None of these is a temporary file of a.
  const std::vector<std::string> others{".b.tmp-17-0",  "a.tmp-17-0",   ".a.tmp-17", ".a.tmp--0",
                                        ".a.tmp-17-0x", ".a.tmp-1 7-0", ".a",        ".tmp-17-0"};
  for (const std::string& name : others) test::write_bytes(path(name), {'x'});
  std::filesystem::create_directory(path(".a.tmp-18-0"));
  std::filesystem::create_symlink(path(".b.tmp-17-0"), path(".a.tmp-19-0"));
  std::vector<std::string> removed = remove_abandoned({mine, path("none/b"), mine});
  std::ranges::sort(removed);
  EXPECT_EQ(removed, (std::vector<std::string>{path(".a.tmp-17-0"), path(".a.tmp-17-1")}));
  EXPECT_EQ(files(), static_cast<long>(others.size()) + 2);
}

// A folder named as an output, and files that are not temporary files, must not be touched.
TEST_F(AtomicWrite, FolderNamedAsOutputIsNotTouched) {
  for (const char* name : {"a", "b.txt", ".c"}) test::write_bytes(path(name), {'x'});
  EXPECT_TRUE(remove_abandoned({path("")}).empty());
  EXPECT_EQ(files(), 3);
}

TEST_F(AtomicWrite, LockedTemporaryFileStays) {
  // Locks the file through another descriptor, as a writer does.
  const int writer = open(path(".a.tmp-17-0").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(writer, 0);
  ASSERT_EQ(flock(writer, LOCK_EX), 0);
  EXPECT_TRUE(remove_abandoned({path("a")}).empty());
  EXPECT_EQ(files(), 1);
  close(writer);
  EXPECT_EQ(remove_abandoned({path("a")}).size(), 1U);
  EXPECT_EQ(files(), 0);
}

// Writes a file repeatedly while another thread removes abandoned files. The thread may remove a
// temporary file before it is locked; the writer then creates another.
TEST_F(AtomicWrite, CleanupDoesNotDisturbAWriter) {
  {
    const std::jthread cleaner([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) static_cast<void>(remove_abandoned({path("a")}));
    });
    for (int i = 0; i < 100; ++i)
      EXPECT_NO_THROW(atomic_write(path("a"), std::vector<char>(100, 'x')));
  }
  EXPECT_EQ(files(), 1);
}

// In a child process, because root must first switch to another user.
TEST_F(AtomicWrite, FolderWithoutPermission) {
  chmod(path("").c_str(), 0555);
  const auto attempt = [&] {
    if (geteuid() == 0 && setuid(65534) != 0) std::_Exit(2);
    expect_bad(path("a"), "cannot be written: Permission denied", "");
    std::_Exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(attempt(), testing::ExitedWithCode(0), "");
  chmod(path("").c_str(), 0755);
  EXPECT_EQ(files(), 0);
}

TEST_F(AtomicWrite, ExtendedNamesOfCfitsioAreRejected) {
  for (const char* name : {"a.fits[compress]", "a.fits[1:10,1:10]", "a.fits(template.txt)"})
    expect_bad(path(name), "is an extended file name of CFITSIO", "the name of a file");
  for (const char* name : {"-", "-.fits", "!a.fits", "mem://a.fits", "file://a.fits", "root://a/b"})
    expect_bad(name, "is an extended file name of CFITSIO", "the name of a file");
  EXPECT_EQ(files(), 0);
}

TEST_F(AtomicWrite, CheckWritableCreatesNothing) {
  check_writable(path("a"));
  EXPECT_EQ(files(), 0);
  expect_data_error([&] { check_writable(path("absent/a")); }, path("absent/a"),
                    "its folder does not exist", "an existing folder");
}

}  // namespace
}  // namespace spex
