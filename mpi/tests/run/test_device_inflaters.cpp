#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <span>
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
  [[nodiscard]] bool takes(std::size_t size) override { return of_->takes(size); }
  [[nodiscard]] std::optional<std::size_t> inflate(std::span<char> memory,
                                                   std::size_t size) override {
    return of_->inflate(memory, size);
  }

 private:
  ZlibInflater* of_;
};

DeviceInflaters::Make make(ZlibInflater& of) {
  return [&of] { return std::make_unique<Shared>(of); };
}

std::vector<char> gzip_file() {
  const test::ScratchFolder folder;
  atomic_write(folder.file("a.gz"), std::vector<char>(5000, 'a'));
  const std::string bytes = test::read_file(folder.file("a.gz"));
  return {bytes.begin(), bytes.end()};
}

// Inflates the file; returns the number of bytes, 0 for a file that is left to the reader.
std::size_t inflate(DeviceInflaters& all, const std::vector<char>& file) {
  constexpr std::size_t room = 5000;
  if (!all.takes(file.size())) return 0;
  std::vector<char> memory = file;
  memory.resize(std::max(room, file.size()));
  return all.inflate(memory, file.size()).value_or(0);
}

// Waits until all of the inflaters have inflated a file, or failed.
void await(DeviceInflaters& all, const std::vector<ZlibInflater*>& inflaters) {
  constexpr std::chrono::seconds most{60};
  const auto end = std::chrono::steady_clock::now() + most;
  const std::vector<char> file = gzip_file();
  for (const ZlibInflater* one : inflaters)
    while (one->given == 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      static_cast<void>(inflate(all, file));
      std::this_thread::yield();
    }
}

TEST(DeviceInflaters, NoneIsReady) {
  DeviceInflaters all;
  EXPECT_FALSE(all.takes(100));
  ZlibInflater inflater;
  std::promise<void> go;
  all.start(0, [&] {
    go.get_future().wait();
    return std::make_unique<Shared>(inflater);
  });
  EXPECT_FALSE(all.takes(100)) << "the second file is also left to the reader";
  EXPECT_TRUE(all.takes(100)) << "the third file is read while the device starts";
  go.set_value();
  await(all, {&inflater});
}

TEST(DeviceInflaters, LaterFilesWaitForTheFirstDevice) {
  DeviceInflaters all(std::chrono::minutes(1));
  for (int k = 0; k < files_of_start; ++k) EXPECT_FALSE(all.takes(100));
  ZlibInflater inflater;
  std::jthread starts([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    all.start(0, make(inflater));
  });
  EXPECT_EQ(inflate(all, gzip_file()), 5000U);
  EXPECT_EQ(inflater.inflated, 1);
}

TEST(DeviceInflaters, NoFileWaitsForDevicesThatCannotStart) {
  DeviceInflaters all(std::chrono::minutes(1));
  for (int k = 0; k < files_of_start; ++k) EXPECT_FALSE(all.takes(100));
  all.start(0, []() -> std::unique_ptr<WholeInflater> {
    throw Error(ErrorKind::device, "GPU", "out of memory");
  });
  EXPECT_EQ(inflate(all, gzip_file()), 0U);
  EXPECT_FALSE(all.takes(100));
}

TEST(DeviceInflaters, NoFileWaitsIfNoneIsStarted) {
  DeviceInflaters all(std::chrono::minutes(1));
  for (int k = 0; k < files_of_start; ++k) EXPECT_FALSE(all.takes(100));
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    all.start_none();
  });
  EXPECT_EQ(inflate(all, gzip_file()), 0U);
  EXPECT_FALSE(all.takes(100));
}

TEST(DeviceInflaters, PatienceEnds) {
  DeviceInflaters all(std::chrono::milliseconds(20));
  const std::vector<char> file = gzip_file();
  for (int k = 0; k < files_of_start; ++k) EXPECT_FALSE(all.takes(100));
  EXPECT_EQ(inflate(all, file), 0U);
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(inflate(all, file), 0U);
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
  const int before = good.inflated;
  for (int k = 0; k < 10; ++k) EXPECT_EQ(inflate(all, file), 5000U);
  EXPECT_EQ(good.inflated - before, 10);
  EXPECT_EQ(bad.given, 1);
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
