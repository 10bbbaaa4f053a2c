#include "reference/io/check_arm.hpp"

#include <optional>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/model/camera.hpp"

namespace spex {

void check_arm(const Psf& psf, const std::string& camera, const std::string& file) {
  const std::optional<Camera> of_psf = parse_camera(psf.camera);
  const std::optional<Camera> wanted = parse_camera(camera);
  if (of_psf && wanted && of_psf->arm != wanted->arm)
    throw data_error(file, fmt::format("is the PSF of {}", psf.camera),
                     fmt::format("that of {}", camera));
}

}  // namespace spex
