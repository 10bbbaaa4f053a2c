// Where CUDA's libraries are looked for, with libraries of other names.
#include <filesystem>
#include <string>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "gpu/core/load_library.hpp"
#include "reference/core/error.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// The message of load_library; empty where it loads.
std::string load_error(const std::string& name, const std::filesystem::path& folder) {
  try {
    EXPECT_NE(load_library(name, folder), nullptr);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    return error.what();
  }
}

TEST(LoadLibrary, FromAFolder) {
  const spex::test::ScratchFolder scratch;
  Dl_info zlib{};
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&zlibVersion), &zlib), 0);
  std::filesystem::copy_file(zlib.dli_fname, scratch.file("libspex_there.so.13"));
  spex::test::write_file(scratch.file("libspex_broken.so.13"), "no library");
  const std::filesystem::path folder = scratch.file("");

  EXPECT_EQ(load_error("libspex_there.so.13", folder), "");
  EXPECT_THAT(load_error("libspex_broken.so.13", folder),
              AllOf(StartsWith("libspex_broken.so.13: cannot be loaded: " + folder.string()),
                    HasSubstr("too short")));
  void* const library = load_library("libspex_there.so.13", folder);
  EXPECT_NE(find_function(library, "zlibVersion", "libspex_there.so.13"), nullptr);
  EXPECT_THROW(static_cast<void>(find_function(library, "none", "libspex_there.so.13")), Error);
}

TEST(LoadLibrary, AMissingOneHasItsPackages) {
  const spex::test::ScratchFolder scratch;
  for (const std::filesystem::path& folder : {std::filesystem::path(scratch.file("")), {}})
    EXPECT_THAT(load_error("libspex_none.so.12", folder),
                AllOf(StartsWith("libspex_none.so.12: cannot be loaded: libspex_none.so.12: "),
                      HasSubstr("(expected the Python packages nvidia-cublas"),
                      HasSubstr(" and nvidia-cusolver"), HasSubstr("LD_LIBRARY_PATH)")));
}

// No library is taken from the current folder.
TEST(LoadLibrary, TheFolderOfPythonIsAbsoluteOrNone) {
  const std::filesystem::path folder = python_folder("cublas");
  EXPECT_TRUE(folder.empty() || folder.is_absolute());
}

}  // namespace
}  // namespace spex::gpu
