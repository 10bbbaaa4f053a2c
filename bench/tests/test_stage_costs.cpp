// Counts of a patch against the reference's own structures, and costs against numbers made by hand.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include <gtest/gtest.h>

#include "bench/roofline/patch_counts.hpp"
#include "bench/roofline/stage_costs.hpp"
#include "reference/core/error.hpp"
#include "reference/extract/projection.hpp"
#include "reference/sim/desi_psf.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex::bench {
namespace {

constexpr std::size_t spots = 0, assemble = 1, solve = 2, decorrelate = 3, quality = 4;

constexpr Milestone milestones[] = {
    Milestone::baseline,   Milestone::cpu_refactor,    Milestone::multi_gpu,
    Milestone::batch_eigh, Milestone::batch_subbundle, Milestone::interleave_io,
    Milestone::band,       Milestone::direct,          Milestone::pipeline};

std::vector<StageCost> costs_of(const Psf& psf, const WaveGrid& grid, ExtractOptions options,
                                Milestone milestone, Method method = Method::eigh) {
  options.milestone = milestone;
  options.method = method;
  return stage_costs(psf, grid, options);
}

double total_flops(const std::vector<StageCost>& costs) {
  return std::accumulate(costs.begin(), costs.end(), 0.0,
                         [](double sum, const StageCost& cost) { return sum + cost.flops; });
}

// --- counts -----------------------------------------------------------------------------------

// Spots that overlap much, of tilted traces, some of which leave the CCD.
Psf crowded_psf() {
  test::PsfShape shape;
  shape.nfiber = 6;
  shape.x_first = 2;
  shape.x_spacing = 5;
  shape.y_middle = 20;
  return test::make_psf(shape);
}

ExtractOptions crowded_options() {
  ExtractOptions options;
  options.bundlesize = 6;
  options.nsubbundles = 2;
  options.nwavestep = 10;
  options.wavepad = 3;
  options.milestone = Milestone::cpu_refactor;
  return options;
}

class CountsOfCrowdedPatches : public testing::Test {
 protected:
  // visit(patch, its counts, its spots)
  template <class Visit>
  void for_each_patch(const Visit& visit) const {
    const std::vector<Patch> patches = make_patches(options_, grid_, psf_.nfiber);
    const std::vector<PatchCounts> counts = count_patches(psf_, grid_, options_, patches);
    ASSERT_EQ(counts.size(), patches.size());
    ASSERT_EQ(patches.size(), 8U);
    for (std::size_t k = 0; k < patches.size(); ++k) {
      const Patch& patch = patches[k];
      const Spots values =
          evaluate_spots(psf_, patch.padded_spec_first(), patch.padded_nspec(),
                         grid_.range(patch.padded_wave_first(), patch.padded_nwave()));
      visit(patch, counts[k],
            PatchSpots{&values, 0, 0, patch.padded_nspec(), patch.padded_nwave()});
    }
  }

  Psf psf_ = crowded_psf();
  ExtractOptions options_ = crowded_options();
  WaveGrid grid_ = make_wave_grid({985, 1019, 1});
};

TEST_F(CountsOfCrowdedPatches, NonzerosAndPairsAreThoseOfSparseA) {
  for_each_patch([&](const Patch& patch, const PatchCounts& counts, const PatchSpots& of_patch) {
    const SparseProjection A = make_sparse_projection(of_patch, counts.range);
    double pairs = 0, core = 0;
    for (std::size_t i = 0; i + 1 < A.first.size(); ++i) {
      const double covering = A.first[i + 1] - A.first[i];
      pairs += covering * (covering + 1) / 2;
    }
    for (const int j : A.bin) {
      const int s = j / patch.padded_nwave(), w = j % patch.padded_nwave();
      if (s >= patch.pad_below && s < patch.pad_below + patch.nspec && w >= patch.wavepad &&
          w < patch.wavepad + patch.nkept)
        ++core;
    }
    EXPECT_GT(pairs, static_cast<double>(A.bin.size()));  // they do overlap
    EXPECT_EQ(counts.nonzeros, static_cast<double>(A.bin.size()));
    EXPECT_EQ(counts.pair_pixels, pairs);
    EXPECT_EQ(counts.core_nonzeros, core);
    EXPECT_EQ(counts.npixel, static_cast<double>(A.first.size() - 1));
  });
}

TEST_F(CountsOfCrowdedPatches, PanelsAreThoseOfDenseA) {
  for_each_patch([&](const Patch&, const PatchCounts& counts, const PatchSpots& of_patch) {
    double elements = 0, product = 0;
    for (int y0 = counts.range.y0; y0 < counts.range.y1; y0 += 16) {
      PixelRange band = counts.range;
      band.y0 = y0;
      band.y1 = std::min(y0 + 16, counts.range.y1);
      std::vector<DensePanel> panels;
      for (int s = 0; s < of_patch.nspec; ++s)
        panels.push_back(make_dense_panel(of_patch, s, band));
      for (std::size_t s = 0; s < panels.size(); ++s) {
        elements += static_cast<double>(panels[s].A.size());
        for (std::size_t t = s; t < panels.size(); ++t) {
          const int columns =
              std::min(panels[s].x1, panels[t].x1) - std::max(panels[s].x0, panels[t].x0);
          product += static_cast<double>(std::max(columns, 0)) * band.ny() *
                     (panels[s].w1 - panels[s].w0) * (panels[t].w1 - panels[t].w0);
        }
      }
    }
    EXPECT_GT(elements, 0);
    EXPECT_EQ(counts.panel_elements, elements);
    EXPECT_EQ(counts.panel_product, product);
  });
}

TEST_F(CountsOfCrowdedPatches, ReachIsTheLargestDistanceOfOverlappingSpots) {
  for_each_patch([&](const Patch&, const PatchCounts& counts, const PatchSpots& of_patch) {
    int reach = 0;
    for (int j = 0; j < of_patch.n(); ++j)
      for (int k = 0; k < of_patch.n(); ++k)
        if (std::abs(of_patch.xc(j) - of_patch.xc(k)) < psf_.nx() &&
            std::abs(of_patch.yc(j) - of_patch.yc(k)) < psf_.ny())
          reach = std::max(reach, std::abs(j % of_patch.nwave - k % of_patch.nwave));
    EXPECT_GT(reach, 1);
    EXPECT_EQ(counts.reach, reach);
  });
}

// --- by hand ----------------------------------------------------------------------------------

// One fiber and four bins, rows 10, 20, 30, 40: spots of 7 x 5 pixels that do not overlap.
struct FourBins {
  Psf psf;
  WaveGrid grid = make_wave_grid({998, 1001, 1});
  ExtractOptions options;

  FourBins() {
    test::PsfShape shape;
    shape.nfiber = 1;
    shape.degree = 0;
    shape.y_per_bin = 10;
    psf = test::make_psf(shape);
    options.bundlesize = options.nsubbundles = 1;
    options.nwavestep = 4;
    options.wavepad = 0;
  }
  [[nodiscard]] std::vector<StageCost> costs(Milestone milestone,
                                             Method method = Method::eigh) const {
    return costs_of(psf, grid, options, milestone, method);
  }
};

TEST(CostsOfFourBins, Spots) {
  // A spot: parameters 5 + 2 * 5 + 3 * 2 * 2 = 27; centre 2 * 5 + 4 * 7 = 38; 8 + 6 edges of
  // 11 + 22 + 23 = 56; differences 7 + 5; products 2 * (7 + 35); normalized 2 * 35.
  for (const Milestone milestone : {Milestone::cpu_refactor, Milestone::band}) {
    const StageCost cost = FourBins().costs(milestone)[spots];
    EXPECT_EQ(cost.stage, Stage::spots);
    EXPECT_EQ(cost.flops, 4 * (27 + 38 + 784 + 12 + 84 + 70));
    EXPECT_EQ(cost.bytes, 8 * (4 * 35 + 3 * 2 + 2 + 2));
  }
}

TEST(CostsOfFourBins, Assemble) {
  // 7 x 35 pixels, 140 non-zeros, as many pairs; the prior 3 a bin.
  const FourBins four;
  const double y_and_q = 245 + 4 * 140 + 3 * 4;
  const StageCost baseline = four.costs(Milestone::baseline)[assemble];
  EXPECT_EQ(baseline.flops, y_and_q + 140 + 2 * 140);
  EXPECT_EQ(baseline.bytes, 8 * (140 + 2 * 245 + 16));
  // Spots on rows 8-12, 18-22, 28-32, 38-42; bands of rows 8-23 (bins 0, 1), 24-39 (2, 3) and 40-42
  // (3): panels of 7 x 16 x 2, 7 x 16 x 2 and 7 x 3 x 1, each multiplied with itself.
  EXPECT_EQ(four.costs(Milestone::cpu_refactor)[assemble].flops,
            y_and_q + (224 + 224 + 21) + 2 * (448 + 448 + 21));
  const double y_q_and_good = 5 * 140 + 3 * 4;
  const StageCost dense = four.costs(Milestone::multi_gpu)[assemble];
  EXPECT_EQ(dense.flops, y_q_and_good + 245 * 4 + 2 * 245 * 16);
  EXPECT_EQ(dense.bytes, 8 * (140 + 2 * 245 + 4 * 245 * 4 + 16));
  // The band has 4 numbers on and 3 below the diagonal.
  const StageCost direct = four.costs(Milestone::band)[assemble];
  EXPECT_EQ(direct.flops, y_q_and_good + 140 + 2 * 140);
  EXPECT_EQ(direct.bytes, 8 * (140 + 2 * 245 + 7));
}

TEST(CostsOfFourBins, SolveAndDecorrelateByEigh) {
  const std::vector<StageCost> cpu = FourBins().costs(Milestone::baseline);
  EXPECT_EQ(cpu[solve].flops, 9 * 64 + 4 * 16 + 4);
  EXPECT_EQ(cpu[solve].bytes, 8 * 2 * 16);
  // C_s: scaling 16 and 64; its root: 9 * 64, scaling 16 and 64; flux and ivar 4 * 16.
  EXPECT_EQ(cpu[decorrelate].flops, 16 + 64 + 576 + 16 + 64 + 64);
  // V, and flux, ivar and 5 diagonals of 4 bins
  EXPECT_EQ(cpu[decorrelate].bytes, 8 * (16 + 7 * 4));

  // Cholesky, f of it; eigh and f.
  const std::vector<StageCost> gpu = FourBins().costs(Milestone::batch_subbundle);
  EXPECT_DOUBLE_EQ(gpu[solve].flops, 64.0 / 3 + 2 * 16 + 576 + 68);
  EXPECT_EQ(gpu[solve].bytes, 8 * 9 * 16);
  // Scaling; C_s and its root with both triangles. X, its rows, the spectra; four blocks there and
  // back.
  EXPECT_EQ(gpu[decorrelate].flops, 16 + 2 * 64 + (576 + 16 + 2 * 64 + 64));
  EXPECT_EQ(gpu[decorrelate].bytes, 8 * (2 * 16 + 16 + 7 * 4 + 8 * 16));
}

TEST(CostsOfFourBins, SolveAndDecorrelateByBand) {
  // Blocks of one row: pivots 1/3 each, three times below 1 and 1.
  const double factor = 4.0 / 3 + 3 * 2;
  const double substitution = 4 + 3 * 2;
  const std::vector<StageCost> direct = FourBins().costs(Milestone::band);
  // The 1-norm: 2 for each of 7 numbers.
  EXPECT_DOUBLE_EQ(direct[solve].flops,
                   factor + 4 * (1.0 / 3 + 0.5) + 3 + 2 * 7 + 2 * substitution);
  EXPECT_EQ(direct[solve].bytes, 8 * (3 * 7 + 3));
  // X: 2 (0 + 1 + 2 + 3); C: 1 + 4 + 9 + 16; ten steps of 3 * 64 + 4 * 16; 8 * 16 around them.
  EXPECT_EQ(direct[decorrelate].flops, 12 + 30 + 10 * (192 + 64) + 8 * 16);
  EXPECT_EQ(direct[decorrelate].bytes, 8 * (7 + 3 + 7 * 4));
}

TEST(CostsOfFourBins, SolveAndDecorrelateBySpectra) {
  // A band of 4 rows and reach 1: factor 4 (1 + 1 + 2), inverse 4 (2 + 2), solution 4 * 5.
  const std::vector<StageCost> cpu = FourBins().costs(Milestone::baseline, Method::cholesky);
  const std::vector<StageCost> gpu = FourBins().costs(Milestone::direct);
  for (const std::vector<StageCost>& costs : {cpu, gpu}) {
    EXPECT_EQ(costs[solve].flops, 16 + 16 + 6 * 20);
    EXPECT_EQ(costs[solve].bytes, 8 * (3 * 8 + 16));
  }
  EXPECT_EQ(cpu[decorrelate].flops, 24 * (16 + 16 + 2 * (2 * 20 + 2 * 16)) + 4 * 16);
  EXPECT_EQ(cpu[decorrelate].bytes, 8 * (8 + 16 + 7 * 4));
  // 16 poles of the root, 8 of what E adds.
  EXPECT_EQ(gpu[decorrelate].flops,
            16 * (16 + 16 + 2 * 20) + 8 * (16 + 2 * (2 * 20 + 2 * 16)) + 4 * 16);
  // Four columns: two numbers of L and two of the vectors each, in doubles there and back; in
  // floats L four times, and the vectors X and E X eight times.
  EXPECT_EQ(gpu[decorrelate].bytes,
            8 * (8 + 16 + 7 * 4) + 16 * 2 * 4 * (2 + 2) * 8 + 8 * (4 * 4 * 2 + 8 * 4 * 2) * 4);
  // All bins are of the core: the sums of the band, whose 8 numbers are written, read and written.
  const StageCost bands = FourBins().costs(Milestone::direct)[assemble];
  EXPECT_EQ(bands.flops, 5 * 140 + 3 * 4 + 140 + 2 * 140);
  EXPECT_EQ(bands.bytes, 8 * (140 + 2 * 245 + 3 * 8));
}

TEST(CostsOfFourBins, Quality) {
  FourBins four;
  EXPECT_EQ(four.costs(Milestone::baseline)[quality].flops, 8 * 245 + 8 * 140 + 2 * 4);
  EXPECT_EQ(four.costs(Milestone::band)[quality].flops, 8 * 245 + 6 * 140 + 2 * 4);
  EXPECT_EQ(four.costs(Milestone::band)[quality].bytes, 8 * (140 + 4 * 245 + 2 * 4));
  four.options.model = true;
  EXPECT_EQ(four.costs(Milestone::baseline)[quality].flops, 8 * 245 + 10 * 140 + 2 * 4);
}

// --- as a whole -------------------------------------------------------------------------------

TEST(StageCosts, StagesInOrderAndPositive) {
  const WaveGrid grid = make_wave_grid({985, 1019, 1});
  constexpr Stage order[] = {Stage::spots, Stage::assemble, Stage::solve, Stage::decorrelate,
                             Stage::quality};
  for (const Milestone milestone : milestones)
    for (const Method method : {Method::eigh, Method::cholesky})
      for (const Decorrelate kind : {Decorrelate::signal, Decorrelate::noise}) {
        ExtractOptions options = crowded_options();
        options.decorrelate = kind;
        const std::vector<StageCost> costs =
            costs_of(crowded_psf(), grid, options, milestone, method);
        ASSERT_EQ(costs.size(), 5U);
        for (std::size_t k = 0; k < costs.size(); ++k) {
          SCOPED_TRACE(to_string(milestone) + " " + to_string(order[k]));
          EXPECT_EQ(costs[k].stage, order[k]);
          EXPECT_GT(costs[k].flops, 0);
          EXPECT_GT(costs[k].bytes, 0);
        }
      }
}

// Traces of both bundles are the same but for whole pixels, and so are their costs.
TEST(StageCosts, TwiceTheBundlesTwiceTheCost) {
  test::PsfShape shape;
  shape.nfiber = 12;
  shape.nx = 120;
  Psf psf = test::make_psf(shape);
  for (std::size_t s = 0; s < 12; ++s) psf.ytrace.coeff[2 * s] = 30.2;
  const WaveGrid grid = make_wave_grid({985, 1019, 1});
  for (const Milestone milestone : milestones) {
    SCOPED_TRACE(to_string(milestone));
    ExtractOptions options = crowded_options();
    const std::vector<StageCost> both = costs_of(psf, grid, options, milestone);
    options.nspec = 6;
    const std::vector<StageCost> one = costs_of(psf, grid, options, milestone);
    for (std::size_t k = 0; k < both.size(); ++k) {
      EXPECT_DOUBLE_EQ(both[k].flops, 2 * one[k].flops);
      EXPECT_DOUBLE_EQ(both[k].bytes, 2 * one[k].bytes);
    }
  }
}

TEST(StageCosts, MilestonesDifferInWhatTheyChange) {
  const Psf psf = crowded_psf();
  const WaveGrid grid = make_wave_grid({985, 1019, 1});
  const auto costs = [&](Milestone milestone) {
    return costs_of(psf, grid, crowded_options(), milestone);
  };
  const auto baseline = costs(Milestone::baseline);
  const auto refactor = costs(Milestone::cpu_refactor);
  const auto multi = costs(Milestone::multi_gpu);
  const auto direct = costs(Milestone::band);
  // Padding is evaluated twice and more where patches do not share spots.
  EXPECT_GT(baseline[spots].flops, 1.5 * refactor[spots].flops);
  EXPECT_GT(baseline[spots].bytes, 1.5 * refactor[spots].bytes);
  EXPECT_EQ(baseline[solve].flops, refactor[solve].flops);
  EXPECT_LT(baseline[assemble].flops, refactor[assemble].flops);
  EXPECT_LT(refactor[assemble].flops, multi[assemble].flops);
  EXPECT_LT(direct[assemble].flops, multi[assemble].flops);
  EXPECT_LT(direct[solve].flops, multi[solve].flops);
  EXPECT_EQ(total_flops(multi), total_flops(costs(Milestone::interleave_io)));
  EXPECT_EQ(total_flops(costs(Milestone::direct)), total_flops(costs(Milestone::pipeline)));
  // cholesky changes the CPU only.
  EXPECT_LT(
      costs_of(psf, grid, crowded_options(), Milestone::baseline, Method::cholesky)[solve].flops,
      baseline[solve].flops);
}

// Rows are closer together at one end of the grid: there spots reach over more bins. direct lays
// out all patches alike, the CPU's cholesky each as it needs.
TEST(StageCosts, DirectTakesTheReachOfTheFrame) {
  Psf psf = crowded_psf();
  psf.ytrace.ncoeff = 3;
  psf.ytrace.coeff.clear();
  for (int s = 0; s < psf.nfiber; ++s)
    psf.ytrace.coeff.insert(psf.ytrace.coeff.end(), {50.0, 75.0, 40.0});
  const auto solve_flops = [&](double wmin, double wmax, Milestone milestone) {
    const WaveGrid grid = make_wave_grid({wmin, wmax, 1});
    return costs_of(psf, grid, crowded_options(), milestone, Method::cholesky)[solve].flops;
  };
  const auto in_steps = [&](Milestone milestone) {
    return solve_flops(985, 994, milestone) + solve_flops(995, 1004, milestone);
  };
  EXPECT_DOUBLE_EQ(solve_flops(985, 1004, Milestone::baseline), in_steps(Milestone::baseline));
  EXPECT_GT(solve_flops(985, 1004, Milestone::band), 1.01 * in_steps(Milestone::band));
}

// What direct cannot do it leaves to the engine of batch-subbundle.
TEST(StageCosts, DirectBeyondItsLimitsCostsAsEigh) {
  const Psf psf = crowded_psf();
  const WaveGrid grid = make_wave_grid({985, 1019, 1});
  ExtractOptions noise = crowded_options();
  noise.decorrelate = Decorrelate::noise;
  ExtractOptions wide = crowded_options();
  wide.nwavestep = 81;
  for (const ExtractOptions& options : {noise, wide})
    EXPECT_EQ(total_flops(costs_of(psf, grid, options, Milestone::band)),
              total_flops(costs_of(psf, grid, options, Milestone::batch_subbundle)));
}

TEST(StageCosts, NothingToSolveOffTheCcd) {
  test::PsfShape shape;
  shape.y_middle = 5000;
  ExtractOptions options;
  options.bundlesize = 3;
  options.nsubbundles = 1;
  const std::vector<StageCost> costs =
      stage_costs(test::make_psf(shape), make_wave_grid({990, 1010, 1}), options);
  EXPECT_GT(costs[spots].flops, 0);
  EXPECT_EQ(costs[solve].flops, 0);
  EXPECT_EQ(costs[quality].flops, 0);
}

TEST(StageCosts, OptionsThatDoNotFitAreRefused) {
  ExtractOptions options = crowded_options();
  options.nspec = 7;
  EXPECT_THROW(
      static_cast<void>(stage_costs(crowded_psf(), make_wave_grid({985, 1019, 1}), options)),
      Error);
}

// One bundle of a frame at production settings. 47 steps x (2 patches of 6 fibers, 3 of 7) x 74
// bins; eigh of N alone is 9 x 47 (2 x 444^3 + 3 x 518^3) operations.
TEST(StageCosts, BundleAtProductionSettings) {
  const Psf psf = make_desi_psf({'r', 0});
  const WaveGrid grid = make_wave_grid(default_wave_range("r0", "r0"));
  ExtractOptions options;
  options.nspec = 25;
  const double eigh_of_N = 9 * 47 * (2 * std::pow(444, 3) + 3 * std::pow(518, 3));
  const std::vector<StageCost> cpu = costs_of(psf, grid, options, Milestone::cpu_refactor);
  EXPECT_GT(cpu[solve].flops, eigh_of_N);
  EXPECT_LT(cpu[solve].flops, 1.01 * eigh_of_N);
  // A frame of 20 bundles by dense Cholesky, inverse and Newton-Schulz roots is about 1.4e12
  // operations; the band's part of it is less.
  const double frame = 20 * total_flops(costs_of(psf, grid, options, Milestone::band));
  EXPECT_GT(frame, 0.3e12);
  EXPECT_LT(frame, 1.4e12);
  EXPECT_GT(20 * total_flops(costs_of(psf, grid, options, Milestone::batch_subbundle)), 15e12);
}

}  // namespace
}  // namespace spex::bench
