#include "reference/extract/patch.hpp"

#include <optional>
#include <utility>

#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/decorrelate.hpp"
#include "reference/extract/normal_equations.hpp"
#include "reference/extract/prior.hpp"
#include "reference/extract/projection.hpp"
#include "reference/extract/quality.hpp"
#include "reference/model/milestones.hpp"

namespace spex {
namespace {

PatchResult empty_result(const Patch& patch, int ndiag, bool with_f) {
  PatchResult result;
  result.nspec = patch.nspec;
  result.nwave = patch.nkept;
  result.ndiagonals = 2 * ndiag + 1;
  const std::size_t nbins = count_of(patch.nspec, patch.nkept);
  result.flux.assign(nbins, 0.0);
  result.ivar.assign(nbins, 0.0);
  if (with_f) result.f.assign(nbins, 0.0);
  result.chi2pix.assign(nbins, 0.0);
  result.pixmask_fraction.assign(nbins, 1.0);
  result.pulled.assign(nbins, 0);
  result.resolution.assign(nbins * static_cast<std::size_t>(result.ndiagonals), 0.0);
  return result;
}

// The index of core bin (s, w) in the padded patch (j) and among the core's bins (core).
struct BinIndex {
  std::size_t j;
  std::size_t core;
};
template <class Visit>
void for_each_core_bin(const Patch& patch, const Visit& visit) {
  for (int s = 0; s < patch.nspec; ++s)
    for (int w = 0; w < patch.nkept; ++w)
      visit(s, w,
            BinIndex{static_cast<std::size_t>((s + patch.pad_below) * patch.padded_nwave() + w +
                                              patch.wavepad),
                     static_cast<std::size_t>(s * patch.nkept + w)});
}

BandEquations assemble(const PatchSpots& spots, const PatchPixels& pixels,
                       const ExtractOptions& options) {
  if (options.method == Method::cholesky) return assemble_bands(spots, pixels);
  const bool sparse = traits(options.milestone).engine == Engine::cpu_sparse;
  return by_spectra(sparse ? assemble_sparse(spots, pixels) : assemble_dense(spots, pixels),
                    spots.nwave);
}

// LAPACK's routine. A GPU milestone is computed here as cpu-refactor.
EighRoutine eigh_routine(Milestone milestone) {
  const MilestoneTraits& rung = traits(milestone);
  return rung.device == Device::cpu ? rung.eigh.N : EighRoutine::dsyevd;
}

// Nothing if the patch cannot be solved.
std::optional<Decorrelated> solve(const BandEquations& equations, const BlockRange& blocks,
                                  const ExtractOptions& options, const ReplaceF& replace_f,
                                  PatchStatus& status, StageTimes& times) {
  Decorrelated solution;
  if (options.method == Method::cholesky) {
    switch (
        decorrelate_cholesky(equations, options.decorrelate, blocks, solution, times, replace_f)) {
      case CholeskyOutcome::by_spectra:
        return solution;
      case CholeskyOutcome::whole_patch:
        // For noise the whole patch is the method, not a way around it.
        if (options.decorrelate == Decorrelate::signal) status = PatchStatus::guarded;
        return solution;
      case CholeskyOutcome::failed:
        status = PatchStatus::fell_back;
    }
  }
  const NormalEquations patch = whole(equations);
  if (!decorrelate_eigh(patch, options.decorrelate, blocks, solution, times,
                        {replace_f, eigh_routine(options.milestone)})) {
    status = PatchStatus::failed;
    return std::nullopt;
  }
  if (options.method == Method::eigh && options.decorrelate == Decorrelate::signal &&
      solution.condition > eigh_condition_bound) {
    Decorrelated closer;
    if (decorrelate_whole_patch(patch, options.decorrelate, blocks, closer, times, replace_f)) {
      solution = std::move(closer);
      status = PatchStatus::guarded;
    }
  }
  return solution;
}

// Rows w - ndiag ... w + ndiag of column w of R_s; rows beyond the padding are 0.
void store_resolution(const Patch& patch, int s, int w, const AlignedDoubles& R,
                      PatchResult& result) {
  const int ndiag = result.ndiagonals / 2;
  const int m = patch.padded_nwave();
  const int column = w + patch.wavepad;
  for (int d = 0; d < result.ndiagonals; ++d) {
    const int row = column - ndiag + d;
    if (row >= 0 && row < m)
      result.resolution[(s * result.ndiagonals + d) * patch.nkept + w] = R[column * m + row];
  }
}

// An unconstrained bin's f is 0 except for rounding, and is omitted.
std::vector<double> core_model(const Patch& patch, const PatchSpots& spots, const PixelRange& range,
                               const std::vector<double>& f, const std::vector<double>& q) {
  std::vector<double> f_core(f.size(), 0.0);
  for_each_core_bin(patch, [&](int, int, BinIndex bin) {
    if (q[bin.j] != 0) f_core[bin.j] = f[bin.j];
  });
  return apply(spots, range, f_core);
}

}  // namespace

BlockRange core_blocks(const Patch& patch, int ndiag) {
  return {patch.pad_below, patch.nspec, patch.padded_nwave(), ndiag, patch.wavepad, patch.nkept};
}

PatchResult extract_patch(const Patch& patch, const PatchSpots& spots, const PatchInputs& inputs,
                          StageTimes& times) {
  const auto& [pixels, options, psferr, frame, rejected] = inputs;
  PatchResult result = empty_result(patch, options.ndiag_of(spots.spots->ny / 2), options.write_f);
  const PixelRange range =
      used_pixels(spots, patch.wavepad, options.pixpad_frac, pixels.nx, pixels.ny);
  if (rejected != nullptr) rejected->put_into(patch, range, pixels.nx, result);
  if (range.nx() == 0 || range.ny() == 0) return result;

  PatchPixels cut;
  BandEquations equations;
  {
    const StageTimer timer(times, Stage::assemble);
    cut = cut_pixels(pixels, range);
    if (std::none_of(cut.W.begin(), cut.W.end(), [](double W) { return W > 0; })) return result;
    equations = assemble(spots, cut, options);
    add_prior(equations, options.regularize);
  }

  const BlockRange blocks = core_blocks(patch, result.ndiagonals / 2);
  ReplaceF replace_f;
  if (frame != nullptr)
    replace_f = [&, flux = frame](std::vector<double>& f) { flux->put_into(patch, f); };
  const std::optional<Decorrelated> found =
      solve(equations, blocks, options, replace_f, result.status, times);
  bool solved = found.has_value();
  if (frame != nullptr) {
    result.frame = frame->solution;
    solved = solved && frame->solution != FrameSolution::failed;
    if (!solved) result.status = PatchStatus::failed;
  }

  const StageTimer timer(times, Stage::quality);
  const PatchSpots core{spots.spots, spots.spec0 + patch.pad_below, spots.wave0 + patch.wavepad,
                        patch.nspec, patch.nkept};
  const PatchQuality of_bins =
      solved ? quality(core, spots, cut, found->f, psferr, options.chi2_pixels)
             : PatchQuality{pixmask_fraction(core, cut), {}};
  const std::vector<double>&masked = of_bins.pixmask_fraction, &chi2 = of_bins.chi2pix;
  // q_j = 0: no weighted pixel constrains the bin; it stays as empty_result made it.
  const auto constrained = [&](std::size_t j) { return equations.q[j] != 0; };
  for_each_core_bin(patch, [&](int, int, BinIndex bin) {
    if (constrained(bin.j)) result.pixmask_fraction[bin.core] = masked[bin.core];
  });
  if (!solved) return result;

  const Decorrelated& solution = *found;
  if (!all_finite(chi2)) {
    result.status = PatchStatus::failed;
    return result;
  }
  const double m = prior_scale(equations.q);
  for_each_core_bin(patch, [&](int s, int w, BinIndex bin) {
    if (!constrained(bin.j)) return;
    const std::size_t block = s * patch.padded_nwave() + w + patch.wavepad;
    result.flux[bin.core] = solution.flux[block];
    result.ivar[bin.core] = solution.ivar[block];
    if (options.write_f) result.f[bin.core] = solution.f[bin.j];
    result.chi2pix[bin.core] = chi2[bin.core];
    result.pulled[bin.core] = is_pulled(equations.q[bin.j], m, masked[bin.core]) ? 1 : 0;
    store_resolution(patch, s, w, solution.R[s], result);
  });
  if (options.model) {
    result.x0 = range.x0, result.x1 = range.x1, result.y0 = range.y0, result.y1 = range.y1;
    result.model = core_model(patch, spots, range, solution.f, equations.q);
  }
  return result;
}

}  // namespace spex
