// The main of a micro-benchmark program.
#pragma once

#include <functional>

namespace spex::bench {

/// Reads Google Benchmark's options, lets `prepare` register the benchmarks and add to the context,
/// and runs those that the options choose; version and OpenBLAS go into the context. Returns the
/// exit status: 2 for an option that is none, 1 where a benchmark throws, as one does whose result
/// is wrong.
[[nodiscard]] int run_benchmarks(const char* program, int argc, char** argv,
                                 const std::function<void()>& prepare);

}  // namespace spex::bench
