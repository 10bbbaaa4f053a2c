// Copies between host and GPU, from pinned memory.
#include <fmt/format.h>

#include "bench/micro/gpu/kernels.hpp"

namespace spex::bench {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

// Pages of the host are touched before, so that none is made while the clock runs.
void run_copy(benchmark::State& state, Device& device, std::size_t bytes, cudaMemcpyKind kind) {
  const gpu::PinnedBuffer<char> pinned(bytes);
  char* const host = pinned.get();
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

}  // namespace

void add_transfers(const DevicePointer& device) {
  for (const auto& [direction, kind] :
       {std::pair{"to_device", cudaMemcpyHostToDevice}, {"to_host", cudaMemcpyDeviceToHost}})
    for (const int megabytes : {1, 4, 16, 64, 256})
      set_timing(benchmark::RegisterBenchmark(
          fmt::format("transfer/{}/pinned/{}MB", direction, megabytes).c_str(),
          [device, kind = kind, megabytes](benchmark::State& state) {
            run_copy(state, *device, static_cast<std::size_t>(megabytes) * megabyte, kind);
          }));
}

}  // namespace spex::bench
