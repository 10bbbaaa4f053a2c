// Copies between host and GPU, from pinned and from pageable memory.
#include <fmt/format.h>

#include "bench/micro/gpu/kernels.hpp"

namespace spex::bench {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

// Pages of the host are touched before, so that none is made while the clock runs.
void run_copy(benchmark::State& state, Device& device, char* host, std::size_t bytes,
              cudaMemcpyKind kind) {
  const gpu::DeviceBuffer<char> on_device(bytes);
  SPEX_GPU_CHECK(cudaMemsetAsync(on_device.get(), 1, bytes, device.stream()));
  std::fill(host, host + bytes, char{2});
  const bool to_gpu = kind == cudaMemcpyHostToDevice;
  char* to = to_gpu ? on_device.get() : host;
  const char* from = to_gpu ? host : on_device.get();
  device.measure(
      state, [&] { SPEX_GPU_CHECK(cudaMemcpyAsync(to, from, bytes, kind, device.stream())); },
      [&] {
        require_bytes("transfer",
                      to_gpu ? gpu::to_host(on_device, device.stream())
                             : std::vector<char>(host, host + bytes),
                      to_gpu ? 2 : 1);
      });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void run_pinned(benchmark::State& state, Device& device, std::size_t bytes, cudaMemcpyKind kind) {
  const gpu::PinnedBuffer<char> host(bytes);
  run_copy(state, device, host.get(), bytes, kind);
}

void run_pageable(benchmark::State& state, Device& device, std::size_t bytes, cudaMemcpyKind kind) {
  std::vector<char> host(bytes);
  run_copy(state, device, host.data(), bytes, kind);
}

}  // namespace

void add_transfers(const DevicePointer& device) {
  const auto add = [&](const char* direction, cudaMemcpyKind kind, const char* memory,
                       void (*run)(benchmark::State&, Device&, std::size_t, cudaMemcpyKind)) {
    for (const int megabytes : {1, 4, 16, 64, 256})
      set_timing(benchmark::RegisterBenchmark(
          fmt::format("transfer/{}/{}/{}MB", direction, memory, megabytes).c_str(),
          [device, kind, megabytes, run](benchmark::State& state) {
            run(state, *device, static_cast<std::size_t>(megabytes) * megabyte, kind);
          }));
  };
  add("to_device", cudaMemcpyHostToDevice, "pinned", run_pinned);
  add("to_device", cudaMemcpyHostToDevice, "pageable", run_pageable);
  add("to_host", cudaMemcpyDeviceToHost, "pinned", run_pinned);
  add("to_host", cudaMemcpyDeviceToHost, "pageable", run_pageable);
}

}  // namespace spex::bench
