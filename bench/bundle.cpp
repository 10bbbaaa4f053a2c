// bench_bundle: extracts one bundle of 25 fibers with the CPU reference on one thread, without
// files; the counters are the seconds of each stage.
//
//   bench_bundle PREPROC PSF [--benchmark_...]
//
// 5760 to 7620 Angstrom (or the camera's own grid), production settings, every method and
// milestone.
#include <string>
#include <utility>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/micro/program.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/extract_patches.hpp"
#include "reference/extract/weights.hpp"
#include "reference/io/read_preproc.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/model/mask_bits.hpp"
#include "reference/model/milestones.hpp"

namespace {

struct Frame {
  spex::Psf psf;
  spex::Pixels pixels;
  spex::WaveGrid grid;
};

void extract_bundle(benchmark::State& state, const Frame& frame, spex::Method method,
                    spex::Milestone milestone) {
  spex::ExtractOptions options;
  options.nspec = 25;
  options.method = method;
  options.milestone = milestone;
  const spex::ExtractInputs inputs{&frame.psf, &frame.pixels, frame.grid, options};
  const std::vector<spex::Patch> patches =
      spex::make_patches(options, frame.grid, frame.psf.nfiber);
  spex::StageTimes times;
  for (auto _ : state)
    benchmark::DoNotOptimize(spex::extract_patches(inputs, patches, 1, times, [](long) {}));
  for (const spex::Stage stage : {spex::Stage::spots, spex::Stage::assemble, spex::Stage::solve,
                                  spex::Stage::decorrelate, spex::Stage::quality})
    state.counters[spex::to_string(stage)] =
        benchmark::Counter(times.get(stage), benchmark::Counter::kAvgIterations);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr,
               "bench_bundle: wrong arguments (bench_bundle PREPROC PSF [--benchmark_...])\n");
    return spex::status::usage;
  }
  const std::string preproc_path = argv[1], psf_path = argv[2];
  argv[2] = argv[0];
  Frame frame;
  return spex::bench::run_benchmarks("bench_bundle", argc - 2, argv + 2, [&] {
    frame.psf = spex::read_psf(psf_path);
    spex::Preproc preproc = spex::read_preproc(preproc_path);
    frame.grid = spex::make_wave_grid(spex::default_wave_range(preproc.camera, preproc_path));
    frame.pixels = spex::make_pixels(std::move(preproc), spex::ccdmask::rejected);
    for (const spex::Method method : {spex::Method::eigh, spex::Method::cholesky})
      for (const spex::Milestone milestone :
           {spex::Milestone::cpu_refactor, spex::Milestone::baseline})
        benchmark::RegisterBenchmark(
            fmt::format("bundle/{}/{}", to_string(method), to_string(milestone)).c_str(),
            [&frame, method, milestone](benchmark::State& state) {
              extract_bundle(state, frame, method, milestone);
            })
            ->Unit(benchmark::kSecond)
            ->MeasureProcessCPUTime();
  });
}
