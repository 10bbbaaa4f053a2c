// Runs a fuzz target on mutated copies of whole FITS files. Unlike libFuzzer, the driver needs no
// special compiler, knows FITS headers, and is deterministic.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fuzz/mutate.hpp"
#include "reference/tests/fuzz/seeds.hpp"
#include "reference/tests/support/unzip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> packed;
  bool preproc = false;
  bool gzip = false;
  std::uint64_t seed = 1;
  long first = 0;
  long iterations = 1000;
  double seconds = 0;
  long memory_mib = 0;
  std::string save;
};

void run(const std::vector<char>& bytes, const Options& options) {
  if (!options.save.empty()) spex::test::write_bytes(options.save, bytes);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::vector<std::vector<char>> make_seeds(const Options& options) {
  std::vector<std::vector<char>> seeds;
  const auto append = [&](std::vector<std::vector<char>> more) {
    seeds.insert(seeds.end(), more.begin(), more.end());
  };
  for (const std::string& file : options.files) {
    std::vector<char> bytes = spex::test::read_bytes(file);
    if (spex::is_gzip(bytes)) {
      bytes = spex::test::unzip(bytes, file);
    }
    seeds.push_back(std::move(bytes));
  }
  for (const std::string& file : options.packed) append(spex::fuzz::packed_seeds(file));
  if (options.preproc) append(spex::fuzz::preproc_seeds());
  return seeds;
}

// The mutated file of an iteration. With --gzip a third of the files are gzip files, mutated before
// or after compression. Each iteration has its own generator, so that it can be repeated alone.
std::vector<char> damaged(const std::vector<char>& seed, const Options& options, long iteration) {
  std::mt19937_64 random(options.seed * 0x9E3779B97F4A7C15ULL +
                         static_cast<std::uint64_t>(iteration));
  const std::uint64_t kind = options.gzip ? random() % 6 : 2;
  if (kind == 0) return spex::fuzz::mutate_gzip(spex::fuzz::gzipped(seed), random);
  std::vector<char> bytes = spex::fuzz::mutate(seed, random);
  return kind == 1 ? spex::fuzz::gzipped(bytes) : bytes;
}

int fuzz(const Options& options) {
  const std::vector<std::vector<char>> seeds = make_seeds(options);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  long i = options.first;
  const auto more = [&] {
    return options.seconds > 0 ? elapsed() < options.seconds
                               : i < options.first + options.iterations;
  };
  try {
    for (const std::vector<char>& seed : seeds) run(seed, options);
    for (; more(); ++i) {
      const std::vector<char>& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
      run(damaged(seed, options, i), options);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "iteration {} of seed {}: {}\n", i, options.seed, error.what());
    return 1;
  }
  fmt::print("{} inputs, {:.1f} s, no finding\n", i - options.first, elapsed());
  return 0;
}

// OpenBLAS starts a thread for each CPU before main(). Each takes 128 MB of address space, and
// tries again without end if the limit forbids it: on 16 CPUs the program would not end. So it
// starts itself again, with one thread.
void limit_memory(long mib, char** argv) {
  const char* const threads = std::getenv("OPENBLAS_NUM_THREADS");
  if (threads == nullptr || std::string(threads) != "1") {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
    throw std::runtime_error("cannot start itself again");
  }
  const rlim_t bytes = static_cast<rlim_t>(mib) << 20;
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) throw std::runtime_error("cannot limit its memory");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs the fuzz target on damaged copies of FITS files");
  Options options;
  app.add_option("files", options.files, "FITS files to mutate, also .gz");
  app.add_option("--packed", options.packed, "FITS files whose tile-compressed copies are mutated");
  app.add_flag("--preproc", options.preproc, "mutate small preprocessed images of every form");
  app.add_flag("--gzip", options.gzip, "also mutate gzip files");
  app.add_option("--seed", options.seed, "seed of the mutations");
  app.add_option("--first", options.first, "number of the first iteration");
  app.add_option("--iterations", options.iterations, "number of mutated files");
  app.add_option("--seconds", options.seconds, "run for this time instead")
      ->envname("SPEX_FUZZ_SECONDS");
  app.add_option("--memory", options.memory_mib, "limit of the address space, MiB (0: none)");
  app.add_option("--save", options.save, "write each input to this file before running it");
  CLI11_PARSE(app, argc, argv);
  if (options.memory_mib > 0) limit_memory(options.memory_mib, argv);
  return fuzz(options);
}
