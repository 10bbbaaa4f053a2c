// Compares counts of a patch with the reference's data structures, and costs with numbers computed
// by hand.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "bench/roofline/patch_counts.hpp"
#include "bench/roofline/stage_costs.hpp"
#include "reference/extract/projection.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/model/milestones.hpp"
#include "reference/sim/desi_psf.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex::bench {
namespace {

constexpr std::size_t spots = 0, assemble = 1, solve = 2, decorrelate = 3, quality = 4;

constexpr Milestone milestones[] = {Milestone::band, Milestone::direct, Milestone::pipeline};

std::vector<CostRecord> costs_of(const Psf& psf, const WaveGrid& grid, ExtractOptions options,
                                 Milestone milestone) {
  options.milestone = milestone;
  options.method = Method::cholesky;
  return stage_costs(psf, grid, options);
}

// Spots that overlap strongly, with tilted traces, some of which leave the CCD.
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
    EXPECT_GT(pairs, static_cast<double>(A.bin.size()));  // there are overlaps
    EXPECT_EQ(counts.nonzeros, static_cast<double>(A.bin.size()));
    EXPECT_EQ(counts.pair_pixels, pairs);
    EXPECT_EQ(counts.core_nonzeros, core);
    EXPECT_EQ(counts.npixel, static_cast<double>(A.first.size() - 1));
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
  [[nodiscard]] std::vector<CostRecord> costs(Milestone milestone) const {
    return costs_of(psf, grid, options, milestone);
  }
};

TEST(CostsOfFourBins, Spots) {
  // A spot: parameters 5 + 2 * 5 + 3 * 2 * 2 = 27; center 2 * 5 + 4 * 7 = 38; 8 + 6 edges of
  // 11 + 22 + 23 = 56; differences 7 + 5; products 2 * (7 + 35); normalized 2 * 35.
  for (const Milestone milestone : milestones) {
    const std::vector<CostRecord> costs = FourBins().costs(milestone);
    std::string stages;
    for (const CostRecord& cost : costs) stages += cost.stage + " ";
    ASSERT_EQ(stages, "spots assemble solve decorrelate quality ");
    const CostRecord cost = costs[spots];
    EXPECT_EQ(cost.flops, 4 * (27 + 38 + 784 + 12 + 84 + 70));
    EXPECT_EQ(cost.bytes, 8 * (4 * 35 + 3 * 2 + 2 + 2));
  }
}

TEST(CostsOfFourBins, Assemble) {
  // 7 x 35 pixels, 140 non-zeros, as many pairs; the prior 3 a bin.
  const FourBins four;
  const double y_q_and_good = 5 * 140 + 3 * 4;
  // The band has 4 numbers on and 3 below the diagonal.
  const CostRecord direct = four.costs(Milestone::band)[assemble];
  EXPECT_EQ(direct.flops, y_q_and_good + 140 + 2 * 140);
  EXPECT_EQ(direct.bytes, 8 * (140 + 2 * 245 + 7));
}

TEST(CostsOfFourBins, SolveAndDecorrelateByBand) {
  // Blocks of one row: pivots 1/3 each; for each of three blocks below, 1 and 1.
  const double factor = 4.0 / 3 + 3 * 2;
  const double substitution = 4 + 3 * 2;
  const std::vector<CostRecord> direct = FourBins().costs(Milestone::band);
  // The 1-norm: 2 for each of 7 numbers.
  EXPECT_DOUBLE_EQ(direct[solve].flops,
                   factor + 4 * (1.0 / 3 + 0.5) + 3 + 2 * 7 + 2 * substitution);
  EXPECT_EQ(direct[solve].bytes, 8 * (3 * 7 + 3));
  // X: 2 (0 + 1 + 2 + 3); C: 1 + 4 + 9 + 16; ten steps of 3 * 64 + 4 * 16; 8 * 16 before and after.
  EXPECT_EQ(direct[decorrelate].flops, 12 + 30 + 10 * (192 + 64) + 8 * 16);
  EXPECT_EQ(direct[decorrelate].bytes, 8 * (7 + 3 + 7 * 4));
}

TEST(CostsOfFourBins, SolveAndDecorrelateBySpectra) {
  // A band of 4 rows and reach 1: factor 4 (1 + 1 + 2), inverse 4 (2 + 2), solution 4 * 5. Bands
  // are doubles; E has 16 floats.
  const std::vector<CostRecord> gpu = FourBins().costs(Milestone::direct);
  EXPECT_EQ(gpu[solve].flops, 16 + 16 + 6 * 20);
  EXPECT_EQ(gpu[solve].bytes, 8 * 3 * 8 + 4 * 16);
  // 16 poles of the root, and 8 of the term of E for 21% of the spectra.
  EXPECT_DOUBLE_EQ(gpu[decorrelate].flops,
                   16 * (16 + 16 + 2 * 20) + 8 * 0.21 * (16 + 2 * (2 * 20 + 2 * 16)) + 4 * 16);
  // Four columns: two numbers of L and two of the vectors each, written and read as doubles; as
  // floats L four times, and the vectors X and E X eight times.
  EXPECT_DOUBLE_EQ(gpu[decorrelate].bytes, 8 * (8 + 7 * 4) + 4 * 16 + 16 * 2 * 4 * (2 + 2) * 8 +
                                               8 * 0.21 * (4 * 4 * 2 + 8 * 4 * 2) * 4);
  // All bins are core bins: the sums of the band, whose 8 numbers are written, read and written.
  const CostRecord bands = FourBins().costs(Milestone::direct)[assemble];
  EXPECT_EQ(bands.flops, 5 * 140 + 3 * 4 + 140 + 2 * 140);
  EXPECT_EQ(bands.bytes, 8 * (140 + 2 * 245 + 3 * 8));
}

TEST(CostsOfFourBins, Quality) {
  const FourBins four;
  EXPECT_EQ(four.costs(Milestone::band)[quality].flops, 8 * 245 + 6 * 140 + 2 * 4);
  EXPECT_EQ(four.costs(Milestone::band)[quality].bytes, 8 * (140 + 4 * 245 + 2 * 4));
}

// The traces of both bundles differ by whole pixels only, so their costs are equal.
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
    const std::vector<CostRecord> both = costs_of(psf, grid, options, milestone);
    options.nspec = 6;
    const std::vector<CostRecord> single = costs_of(psf, grid, options, milestone);
    for (std::size_t k = 0; k < both.size(); ++k) {
      EXPECT_DOUBLE_EQ(both[k].flops, 2 * single[k].flops);
      EXPECT_DOUBLE_EQ(both[k].bytes, 2 * single[k].bytes);
    }
  }
}

// Rows are closer together at one end of the grid, where spots overlap with more bins. All patches
// have the same layout.
TEST(StageCosts, PatchesHaveTheReachOfTheFrame) {
  Psf psf = crowded_psf();
  psf.ytrace.ncoeff = 3;
  psf.ytrace.coeff.clear();
  for (int s = 0; s < psf.nfiber; ++s)
    psf.ytrace.coeff.insert(psf.ytrace.coeff.end(), {50.0, 75.0, 40.0});
  const auto solve_flops = [&](double wmin, double wmax) {
    const WaveGrid grid = make_wave_grid({wmin, wmax, 1});
    return costs_of(psf, grid, crowded_options(), Milestone::band)[solve].flops;
  };
  EXPECT_GT(solve_flops(985, 1004), 1.01 * (solve_flops(985, 994) + solve_flops(995, 1004)));
}

TEST(StageCosts, EnginesOfLibrariesAndPatchesForEighHaveNone) {
  const WaveGrid grid = make_wave_grid({985, 1019, 1});
  ExtractOptions noise = crowded_options(), wide = noise;
  noise.decorrelate = Decorrelate::noise;
  wide.nwavestep = 81;
  for (const ExtractOptions& options : {noise, wide})
    EXPECT_TRUE(costs_of(crowded_psf(), grid, options, Milestone::band).empty());
  for (const Milestone milestone :
       {Milestone::cpu_refactor, Milestone::multi_gpu, Milestone::batch_syev})
    EXPECT_TRUE(costs_of(crowded_psf(), grid, crowded_options(), milestone).empty());
}

TEST(StageCosts, NothingToSolveOffTheCcd) {
  test::PsfShape shape;
  shape.y_middle = 5000;
  ExtractOptions options;
  options.bundlesize = 3;
  options.nsubbundles = 1;
  const std::vector<CostRecord> costs =
      costs_of(test::make_psf(shape), make_wave_grid({990, 1010, 1}), options, Milestone::direct);
  EXPECT_GT(costs[spots].flops, 0);
  EXPECT_EQ(costs[solve].flops, 0);
  EXPECT_EQ(costs[quality].flops, 0);
}

// Dense Cholesky, inverse and Newton-Schulz roots take about 1.4e12 flops for a frame of 20
// bundles; the band takes less.
TEST(StageCosts, BundleAtProductionSettings) {
  const WaveGrid grid = make_wave_grid(default_wave_range("r0", "r0"));
  ExtractOptions options;
  options.nspec = 25;
  double frame = 0;
  for (const CostRecord& cost : costs_of(make_desi_psf({'r', 0}), grid, options, Milestone::band))
    frame += 20 * cost.flops;
  EXPECT_GT(frame, 0.3e12);
  EXPECT_LT(frame, 1.4e12);
}

}  // namespace
}  // namespace spex::bench
