#include "bench/micro/program.hpp"

#include <exception>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "reference/core/blas.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/core/version.hpp"

namespace spex::bench {

void add_context(const char* name, const char* text) {
  benchmark::AddCustomContext(name, text);
}

int run_benchmarks(const char* program, int argc, char** argv,
                   const std::function<void()>& prepare) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return status::usage;
  int status = 0;
  try {
    use_single_threaded_blas();
    add_context("version", version().c_str());
    const BlasLibrary blas = blas_library();
    add_context(blas.name.c_str(), blas.configuration.c_str());
    add_context((blas.name + " core").c_str(), blas.core.c_str());
    prepare();
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    status = 1;
  }
  // What the benchmarks hold goes now, not when the libraries that it came from are gone.
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  return status;
}

}  // namespace spex::bench
