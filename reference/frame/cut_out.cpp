#include "reference/frame/cut_out.hpp"

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/psf/move_spots.hpp"

namespace spex {
std::optional<XyRange> part_of_ccd(const FrameOptions& options, const Preproc& preproc) {
  if (options.xyrange || !preproc.first) return options.xyrange;
  const auto [x, y] = *preproc.first;
  return XyRange{x, x + preproc.nx, y, y + preproc.ny};
}

void cut_out(Psf& psf, const XyRange& range) {
  if (range.xmax > psf.npix_x || range.ymax > psf.npix_y)
    throw usage_error("--xyrange", to_string(range),
                      fmt::format("a part of the PSF's CCD, 0,{},0,{}", psf.npix_x, psf.npix_y));
  move_spots(psf, -range.xmin, -range.ymin);
  psf.npix_x = range.nx();
  psf.npix_y = range.ny();
}

void check_size(const Preproc& preproc, const Psf& psf, const std::optional<XyRange>& part,
                const std::string& file) {
  if (preproc.nx == psf.npix_x && preproc.ny == psf.npix_y) return;
  throw data_error(
      file, fmt::format("{} x {} pixels", preproc.nx, preproc.ny),
      part ? fmt::format("xmax - xmin x ymax - ymin of --xyrange, {} x {}", part->nx(), part->ny())
           : fmt::format("NPIX_X x NPIX_Y of the PSF, {} x {}; or --xyrange for a part of its CCD",
                         psf.npix_x, psf.npix_y));
}

}  // namespace spex
