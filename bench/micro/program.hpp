// The main function of a micro-benchmark program.
#pragma once

#include <functional>

namespace spex::bench {

/// Reads Google Benchmark's options, calls `prepare`, which registers benchmarks and may add to the
/// context, and runs the selected ones. Adds version and OpenBLAS to the context. Returns the exit
/// status: 2 for an unknown option, 1 if a benchmark throws, as one with a wrong result does.
[[nodiscard]] int run_benchmarks(const char* program, int argc, char** argv,
                                 const std::function<void()>& prepare);

}  // namespace spex::bench
