#include "reference/psf/fiber_psf.hpp"

#include "reference/core/count.hpp"
#include "reference/core/simd/aligned.hpp"
#include "reference/psf/gauss_hermite2.hpp"
#include "reference/psf/gauss_hermite_tails.hpp"
#include "reference/psf/image_spots.hpp"
#include "reference/psf/legendre.hpp"

namespace spex {
namespace {

// GAUSS-HERMITE, eight wavelengths at a time.
class GaussHermite final : public FiberPsf {
 public:
  GaussHermite(const Psf& psf, int fiber)
      : psf_(psf),
        fiber_(fiber),
        model_{psf.nx(),
               psf.ny(),
               psf.ghdegx,
               psf.ghdegy,
               psf.ncoeff,
               psf.param.data() + count_of(fiber, psf.ncoeff),
               static_cast<long>(psf.nfiber) * psf.ncoeff},
        kernels_(spot_kernels(instructions_in_use())),
        room_(static_cast<std::size_t>(model_.room())) {}

  void evaluate(const double* lambda, int count, SpotShape* shape, double* value) override {
    SpotBins bins{};
    for (int k = 0; k < spot_lanes; ++k) {
      const Center center = spot_center(psf_, fiber_, lambda[k]);
      bins.u[k] = legendre_variable(lambda[k], psf_.wavemin, psf_.wavemax);
      bins.x[k] = center.x;
      bins.y[k] = center.y;
    }
    kernels_.spots_of_fiber(model_, bins, count, room_.data(), value);
    for (int k = 0; k < count; ++k)
      shape[k] = {{bins.x[k], bins.y[k]}, bins.sigma_x[k], bins.sigma_y[k]};
  }

 private:
  const Psf& psf_;
  int fiber_;
  SpotModel model_;
  const SpotKernels& kernels_;
  AlignedDoubles room_;
};

}  // namespace

std::unique_ptr<FiberPsf> psf_of_fiber(const Psf& psf, int fiber) {
  switch (psf.kind) {
    case PsfKind::gauss_hermite_tails:
      return std::make_unique<GaussHermiteTails>(psf, fiber);
    case PsfKind::gauss_hermite2:
      return std::make_unique<GaussHermite2>(psf, fiber);
    case PsfKind::spotgrid:
      return std::make_unique<SpotGrid>(psf, fiber);
    case PsfKind::monospot:
      return std::make_unique<MonoSpot>(psf, fiber);
    case PsfKind::pca_pix:
      return std::make_unique<PcaPix>(psf, fiber);
    case PsfKind::gauss_hermite:
      break;
  }
  return std::make_unique<GaussHermite>(psf, fiber);
}

}  // namespace spex
