#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/run/device_inflaters.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/tests/support/scratch.hpp"
#include "reference/tests/support/zlib_inflater.hpp"

namespace spex::mpi {
namespace {

using test::Inflates;
using test::ZlibInflater;

// Lets a test keep an inflater that DeviceInflaters owns.
class Shared final : public WholeInflater {
 public:
  explicit Shared(ZlibInflater& of) : of_(&of) {}
  [[nodiscard]] std::unique_ptr<InflatedFile> begin(std::size_t size) override {
    return of_->begin(size);
  }

 private:
  ZlibInflater* of_;
};

DeviceInflaters::Make make(ZlibInflater& of) {
  return [&of] { return std::make_unique<Shared>(of); };
}

// Waits until `ready` of the inflaters have begun a file.
void await(DeviceInflaters& all, const std::vector<ZlibInflater*>& inflaters) {
  constexpr std::chrono::seconds most{60};
  const auto end = std::chrono::steady_clock::now() + most;
  for (const ZlibInflater* one : inflaters)
    while (one->begun == 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      static_cast<void>(all.begin(100));
      std::this_thread::yield();
    }
}

std::vector<char> gzip_file() {
  const test::ScratchFolder folder;
  atomic_write(folder.file("a.gz"), std::vector<char>(5000, 'a'));
  const std::string bytes = test::read_file(folder.file("a.gz"));
  return {bytes.begin(), bytes.end()};
}

// Inflates the file; returns the number of bytes, 0 for a file that is left to the reader.
std::size_t inflate(DeviceInflaters& all, const std::vector<char>& file) {
  const std::unique_ptr<InflatedFile> one = all.begin(file.size());
  if (one == nullptr) return 0;
  std::ranges::copy(file, one->compressed().begin());
  const auto content = one->inflate();
  return content ? content->size() : 0;
}

TEST(DeviceInflaters, NoneIsReady) {
  DeviceInflaters all;
  EXPECT_EQ(all.begin(100), nullptr);
  ZlibInflater inflater;
  std::promise<void> go;
  all.start(0, [&] {
    go.get_future().wait();
    return std::make_unique<Shared>(inflater);
  });
  EXPECT_EQ(all.begin(100), nullptr) << "the second file is also left to the reader";
  go.set_value();
  await(all, {&inflater});
}

TEST(DeviceInflaters, LaterFilesWaitForTheFirstDevice) {
  DeviceInflaters all(std::chrono::minutes(1));
  for (int k = 0; k < files_of_start; ++k) EXPECT_EQ(all.begin(100), nullptr);
  ZlibInflater inflater;
  std::jthread starts([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    all.start(0, make(inflater));
  });
  EXPECT_NE(all.begin(100), nullptr);
  EXPECT_EQ(inflater.begun, 1);
}

TEST(DeviceInflaters, NoFileWaitsForDevicesThatCannotStart) {
  DeviceInflaters all(std::chrono::minutes(1));
  for (int k = 0; k < files_of_start; ++k) EXPECT_EQ(all.begin(100), nullptr);
  all.start(0, []() -> std::unique_ptr<WholeInflater> {
    throw Error(ErrorKind::device, "GPU", "out of memory");
  });
  EXPECT_EQ(all.begin(100), nullptr);
}

TEST(DeviceInflaters, PatienceEnds) {
  DeviceInflaters all(std::chrono::milliseconds(20));
  for (int k = 0; k < files_of_start; ++k) EXPECT_EQ(all.begin(100), nullptr);
  EXPECT_EQ(all.begin(100), nullptr);
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(all.begin(100), nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << "none waits now";
}

TEST(DeviceInflaters, DevicesTakeTurns) {
  ZlibInflater first, second;
  const std::vector<char> file = gzip_file();
  DeviceInflaters all;
  all.start(0, make(first));
  all.start(1, make(second));
  await(all, {&first, &second});
  const int before[] = {first.inflated, second.inflated};
  for (int k = 0; k < 10; ++k) EXPECT_EQ(inflate(all, file), 5000U);
  EXPECT_EQ(first.inflated - before[0], 5);
  EXPECT_EQ(second.inflated - before[1], 5);
  EXPECT_EQ(first.open + second.open, 0);
}

TEST(DeviceInflaters, OneInflaterForEachDevice) {
  ZlibInflater inflater;
  std::atomic<int> made = 0;
  {
    DeviceInflaters all;
    for (int k = 0; k < 3; ++k)
      all.start(0, [&] {
        ++made;
        return std::make_unique<Shared>(inflater);
      });
  }
  EXPECT_EQ(made, 1);
}

// The reader then inflates the file by itself; the other device gets the later files.
TEST(DeviceInflaters, ADeviceThatFailsGetsNoMoreFiles) {
  ZlibInflater good, bad(Inflates::device_error);
  const std::vector<char> file = gzip_file();
  DeviceInflaters all;
  all.start(0, make(bad));
  all.start(1, make(good));
  await(all, {&good, &bad});
  int left = 0;
  for (int k = 0; k < 10; ++k) left += inflate(all, file) == 0 ? 1 : 0;
  EXPECT_EQ(left, 1);
  EXPECT_EQ(good.inflated, 9);
  EXPECT_EQ(bad.open, 0);
}

TEST(DeviceInflaters, ADeviceWithoutMemory) {
  ZlibInflater good;
  const std::vector<char> file = gzip_file();
  DeviceInflaters all;
  all.start(0, []() -> std::unique_ptr<WholeInflater> {
    throw Error(ErrorKind::device, "GPU 0", "has no memory left");
  });
  all.start(1, make(good));
  await(all, {&good});
  for (int k = 0; k < 4; ++k) EXPECT_EQ(inflate(all, file), 5000U);
}

}  // namespace
}  // namespace spex::mpi
