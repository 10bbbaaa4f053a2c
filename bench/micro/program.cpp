#include "bench/micro/program.hpp"

#include <exception>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "reference/core/blas.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/core/version.hpp"

namespace spex::bench {

int run_benchmarks(const char* program, int argc, char** argv,
                   const std::function<void()>& prepare) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return status::usage;
  int status = 0;
  try {
    use_single_threaded_blas();
    benchmark::AddCustomContext("version", version());
    const BlasLibrary blas = blas_library();
    benchmark::AddCustomContext(blas.name, blas.configuration);
    benchmark::AddCustomContext(blas.name + " core", blas.core);
    prepare();
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    status = 1;
  }
  // Free what the benchmarks hold before the libraries that allocated it are unloaded.
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  return status;
}

}  // namespace spex::bench
