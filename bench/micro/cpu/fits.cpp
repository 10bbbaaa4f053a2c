// Preproc images read and written: plain, compressed by gzip, and by tiles.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/cpu/kernels.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/sim/desi_psf.hpp"
#include "reference/sim/simulate.hpp"
#include "reference/sim/write_files.hpp"

namespace spex::bench {
namespace {

// A folder for the files of one benchmark, removed with them.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "spex-bench-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error(path_ + ": cannot be made");
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A simulated bundle of r0 on a CCD of all rows: noise, as what is compressed decides the time.
struct Image {
  std::vector<Target> targets;
  CcdImage ccd;
  std::vector<HeaderKeyword> keywords;

  // IMAGE and IVAR as float, MASK as int32.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(ccd.image.size() * (2 * sizeof(float) + sizeof(std::int32_t)));
  }
};

Image make_image() {
  SimOptions options;
  options.size = SimSize::bundle;
  SimFrame frame = simulate_camera(options, Camera{}, make_desi_psf(Camera{}), "r0");
  return {std::move(frame.targets), std::move(frame.ccd), {{"CAMERA", std::string("r0"), ""}}};
}

using ImagePointer = std::shared_ptr<const Image>;

// What was written is what is read: no compression loses anything here.
void require_same(const Image& image, const Preproc& read) {
  const auto numbers = [](const auto& values) {
    std::vector<double> all;
    for (std::size_t i = 0; i < values.size(); ++i) all.push_back(values[i]);
    return all;
  };
  require_close("fits: image", numbers(read.image), numbers(image.ccd.image), 0);
  require_close("fits: ivar", numbers(read.ivar), numbers(image.ccd.ivar), 0);
  require_close("fits: mask", numbers(read.mask), numbers(image.ccd.mask), 0);
}

void write_image(benchmark::State& state, const Image& image, const std::string& suffix) {
  const TemporaryFolder folder;
  const std::string path = folder.file("preproc.fits" + suffix);
  write_preproc(path, image.ccd, image.targets, image.keywords);
  require_same(image, read_preproc(path));
  for (auto _ : state) write_preproc(path, image.ccd, image.targets, image.keywords);
  state.SetBytesProcessed(state.iterations() * image.bytes());
  state.counters["file_bytes"] = static_cast<double>(std::filesystem::file_size(path));
}

void read_image(benchmark::State& state, const Image& image, const std::string& suffix) {
  const TemporaryFolder folder;
  const std::string path = folder.file("preproc.fits" + suffix);
  write_preproc(path, image.ccd, image.targets, image.keywords);
  require_same(image, read_preproc(path));
  for (auto _ : state) {
    const Preproc preproc = read_preproc(path);
    benchmark::DoNotOptimize(preproc.image[0]);
  }
  state.SetBytesProcessed(state.iterations() * image.bytes());
  state.counters["file_bytes"] = static_cast<double>(std::filesystem::file_size(path));
}

}  // namespace

void add_fits() {
  // Made by the first benchmark that runs.
  const auto image = std::make_shared<ImagePointer>();
  const auto add = [&](const char* subject, const std::string& variant, const std::string& suffix,
                       void (*run)(benchmark::State&, const Image&, const std::string&)) {
    benchmark::RegisterBenchmark(fmt::format("{}/{}", subject, variant).c_str(),
                                 [image, suffix, run](benchmark::State& state) {
                                   if (!*image) *image = std::make_shared<Image>(make_image());
                                   run(state, **image, suffix);
                                 })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  for (const auto& [variant, suffix] : {std::pair("plain", ""), {"gz", ".gz"}, {"fz", ".fz"}}) {
    add("fits_read", variant, suffix, read_image);
    add("fits_write", variant, suffix, write_image);
  }
}

}  // namespace spex::bench
