// A frame as a dictionary of NumPy arrays, named as in spexbench.Frame.
#pragma once

#include <utility>

#include <nanobind/nanobind.h>

#include "reference/frame/assemble_frame.hpp"
#include "reference/model/frame.hpp"
#include "reference/python/arrays.hpp"

namespace spex::python {

/// Adds the arrays of `frame` to `of` without copying. An empty pixmask_fraction or f
/// becomes None.
inline void put_frame(nanobind::dict& of, Frame&& frame) {
  const auto nspec = static_cast<std::size_t>(frame.nspec);
  const auto nwave = static_cast<std::size_t>(frame.nwave);
  const auto ndiagonals = static_cast<std::size_t>(frame.ndiagonals());
  of["wave"] = as_array(std::move(frame.wave), {nwave});
  of["flux"] = as_array(std::move(frame.flux), {nspec, nwave});
  of["ivar"] = as_array(std::move(frame.ivar), {nspec, nwave});
  of["mask"] = as_array(std::move(frame.mask), {nspec, nwave});
  of["resolution"] = frame.resolution.visit([&](auto& resolution) {
    return nanobind::cast(as_array(std::move(resolution), {nspec, ndiagonals, nwave}));
  });
  of["chi2pix"] = as_array(std::move(frame.chi2pix), {nspec, nwave});
  const auto put_optional = [&](const char* name, std::vector<double>&& values) {
    if (values.empty())
      of[name] = nanobind::none();
    else
      of[name] = as_array(std::move(values), {nspec, nwave});
  };
  put_optional("pixmask_fraction", std::move(frame.pixmask_fraction));
  put_optional("f", std::move(frame.f));
}

/// Adds the counts of patches, bins and fibers to `of`.
inline void put_counts(nanobind::dict& of, const PatchCounts& counts) {
  of["patches"] = counts.patches;
  of["guarded"] = counts.guarded;
  of["fell_back"] = counts.fell_back;
  of["failed"] = counts.failed;
  of["direct"] = counts.direct;
  of["dark"] = counts.dark;
  of["overflowed"] = counts.overflowed;
  of["beyond"] = counts.beyond;
  of["pulled"] = counts.pulled;
  of["failed_fit"] = counts.failed_fit;
  of["unfitted"] = counts.unfitted;
  of["tails"] = counts.tails;
  of["rejected_pixels"] = counts.rejected_pixels;
  of["rejecting"] = counts.rejecting;
  of["reject_rounds"] = counts.reject_rounds;
}

}  // namespace spex::python
