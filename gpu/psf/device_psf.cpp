#include "gpu/psf/device_psf.hpp"

#include <stdexcept>

namespace spex::gpu {
namespace {

template <class T>
void upload_values(const std::vector<T>& from, DeviceBuffer<T>& to, cudaStream_t stream) {
  reserve(to, from.size());
  SPEX_GPU_CHECK(cudaMemcpyAsync(to.get(), from.data(), from.size() * sizeof(T),
                                 cudaMemcpyHostToDevice, stream));
}

// Structured bindings of all members, so that a new member does not compile until it is considered
// here.
TraceView upload(const Trace& trace, DeviceBuffer<double>& to, cudaStream_t stream) {
  const auto& [wavemin, wavemax, ncoeff, coeff] = trace;
  upload_values(coeff, to, stream);
  return {wavemin, wavemax, ncoeff, to.get()};
}

}  // namespace

void upload(const Psf& psf, double from, double to, DevicePsf& device, cudaStream_t stream) {
  [[maybe_unused]] const auto& [kind, nfiber, hsizex, hsizey, ghdegx, ghdegy, npix_x, npix_y,
                                fibermin, camera, psferr, in_psf, xtrace, ytrace, wavemin, wavemax,
                                ncoeff, param, tail, second, images, fit] = psf;
  const bool tails = kind == PsfKind::gauss_hermite_tails;
  if (kind != PsfKind::gauss_hermite && !tails)
    throw std::logic_error("the kernels know GAUSS-HERMITE alone");
  upload_values(param, device.param, stream);
  if (tails) upload_values(tail, device.tail, stream);
  device.light_ranges.clear();
  for (int s = 0; s < nfiber; ++s) device.light_ranges.push_back(light_range(ytrace, s, from, to));
  upload_values(device.light_ranges, device.light, stream);
  device.view = {.nfiber = nfiber,
                 .hsizex = hsizex,
                 .hsizey = hsizey,
                 .ghdegx = ghdegx,
                 .ghdegy = ghdegy,
                 .xtrace = upload(xtrace, device.xtrace, stream),
                 .ytrace = upload(ytrace, device.ytrace, stream),
                 .wavemin = wavemin,
                 .wavemax = wavemax,
                 .ncoeff = ncoeff,
                 .param = device.param.get(),
                 .tail = tails ? device.tail.get() : nullptr,
                 .limits = spot_limits(psf),
                 .light = device.light.get()};
}

}  // namespace spex::gpu
