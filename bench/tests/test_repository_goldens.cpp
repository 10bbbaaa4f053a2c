#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/repository_goldens.hpp"
#include "reference/tests/support/scratch.hpp"
#include "spex_test_paths.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

TEST(RepositoryGoldens, AreKnownByTheBytesOfEveryFile) {
  const test::ScratchFolder scratch;
  const fs::path copy = scratch.file("golden");
  fs::copy(fs::path(SPEX_SOURCE_DIR) / "golden", copy, fs::copy_options::recursive);
  EXPECT_TRUE(are_repository_goldens(copy / "cases.json"));
  for (const char* name : {"cases.json", "tiny-b/frame-tiny-b.fits", "tiny-z/preproc.fits"}) {
    SCOPED_TRACE(name);
    const fs::path kept = scratch.file("kept");
    fs::rename(copy / name, kept);
    fs::copy_file(kept, copy / name);
    std::ofstream(copy / name, std::ios::app) << ' ';
    EXPECT_FALSE(are_repository_goldens(copy / "cases.json"));
    fs::remove(copy / name);
    EXPECT_FALSE(are_repository_goldens(copy / "cases.json"));
    fs::rename(kept, copy / name);
    EXPECT_TRUE(are_repository_goldens(copy / "cases.json"));
  }
}

TEST(RepositoryGoldens, FramesByCase) {
  EXPECT_EQ(repository_golden_sha256("tiny-z-reg"),
            hash_file(fs::path(SPEX_SOURCE_DIR) / "golden/tiny-z/frame-tiny-z-reg.fits"));
  EXPECT_EQ(repository_golden_sha256("desi-r0"), "");
}

}  // namespace
}  // namespace spex::bench
