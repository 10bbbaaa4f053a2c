#include "bench/roofline/stage_costs.hpp"

#include <algorithm>
#include <map>

#include "bench/roofline/patch_counts.hpp"
#include "gpu/extract/batch/limits.hpp"
#include "reference/io/read_psf.hpp"
#include "reference/model/milestones.hpp"
#include "reference/model/options.hpp"

namespace spex::bench {
namespace {

constexpr double number = sizeof(double);
constexpr double single = sizeof(float);

// Steps of the scaled Newton-Schulz iteration (gpu/extract/band/symmetric_newton.hpp) to a residual
// of 1e-8, and the one that squares it: 10 for blocks of condition number 300 to 3000, as at
// production settings; 13 or 14 at 1e5.
constexpr double newton_schulz_steps = 10;

// Operations of exp and erf: additions, multiplications and divisions of fdlibm's e_exp.c and, for
// small arguments, s_erf.c.
constexpr double exp_flops = 23;
constexpr double erf_flops = 22;

struct Cost {
  double flops = 0;
  double bytes = 0;

  Cost& operator+=(const Cost& other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
};

struct Costs {
  Cost spots, assemble, solve, decorrelate, quality;
};

// --- spots -----------------------------------------------------------------------------------

// Spots of some fibers and bins (reference/psf/spots.cpp, gpu/psf/spots.cu).
Cost cost_of_spots(const Psf& psf, double nspec, double nwave) {
  const double nx = psf.nx(), ny = psf.ny();
  const double gx = psf.ghdegx + 1, gy = psf.ghdegy + 1;
  const double ncoeff = psf.ncoeff, nparam = psf.nparam();
  constexpr double variable = 5;    // u of a wavelength
  constexpr double polynomial = 5;  // P_d+1 from P_d and P_d-1
  // The parameters of a spot share the P_d of its wavelength; c_d P_d and its sum.
  const double parameters = variable + ncoeff * polynomial + nparam * ncoeff * 2;
  const double center = 2 * variable + (psf.xtrace.ncoeff + psf.ytrace.ncoeff) * (polynomial + 2.0);
  // e_m 6, erf and its factors 2, exp and its factors 3; He_k phi and He_k+1 4 a degree
  const double x_edge = 11 + erf_flops + exp_flops + 4 * psf.ghdegx;
  const double y_edge = 11 + erf_flops + exp_flops + 4 * psf.ghdegy;
  const double edges = (nx + 1) * x_edge + (ny + 1) * y_edge;
  // P_k is a difference of edges; then row_j[x] = sum_i g_ij Px_i[x] and
  // spot[y][x] = sum_j row_j[x] Py_j[y]
  const double values = gx * nx + gy * ny + 2 * (gx * gy * nx + gy * nx * ny);
  const double normalize = 2 * nx * ny;

  const double nspots = nspec * nwave;
  const double coefficients = nparam * ncoeff + psf.xtrace.ncoeff + psf.ytrace.ncoeff;
  return {nspots * (parameters + center + edges + values + normalize),
          (nspots * nx * ny + nspec * coefficients) * number};
}

// --- the block-tridiagonal band ----------------------------------------------------------------

// Sums over the blocks of a patch's band. Block b has r rows, block b + 1 has r', and `above` rows
// lie above block b.
struct BandSums {
  double factor = 0;        // flops of N = L L^T
  double substitution = 0;  // flops of L^-1 y or L^-T y
  double inverse = 0;       // flops of L_bb^-1, its scaling, and M_b = -L_bb^-1 L_{b,b-1}
  double columns = 0;       // flops of X_b = M_b X_{b-1} of all core spectra
  double covariance = 0;    // flops of C_s = X_s^T X_s of all core spectra, the lower triangle
  double panels = 0;        // numbers of the factored band: L_bb^-1 as a square, and L_{b+1,b}
  double M = 0;             // numbers of M_b
};

BandSums band_sums(const PatchCounts& c) {
  BandSums sums;
  const int rows = c.reach * c.nspec, n = c.nspec * c.nwave;
  for (int first = 0; first < n; first += rows) {
    const double size = rows, above = first, r = std::min(rows, n - first);
    const double next = std::clamp(n - first - rows, 0, rows);
    // Golub & Van Loan, section 4.5: potrf r^3 / 3, trsm r^2 r', syrk r'^2 r.
    sums.factor += r * r * r / 3 + r * r * next + next * next * r;
    sums.substitution += r * r + 2 * r * next;  // trsv r^2, gemv 2 r r'
    sums.inverse += r * r * r / 3 + r * r / 2 + next * next * r;
    // 2 r size for a column that began before block b; the others are columns of L_bb^-1.
    sums.columns += 2 * r * size * c.ncore * above / c.nspec;
    // X_b has the columns of the spectrum's bins up to block b, k of them: r k^2.
    const double k = (above + r) / c.nspec;
    sums.covariance += c.ncore * r * k * k;
    sums.panels += r * r + r * next;
    sums.M += r * next;
  }
  return sums;
}

// --- assemble --------------------------------------------------------------------------------

// Numbers in the bands of all spectra and of all pairs of neighbors
// (gpu/extract/normal_equations/fiber_bands.hpp).
double fiber_band_numbers(const PatchCounts& c) {
  const double m = c.nwave, r = c.reach;
  return c.nspec * m * (r + 1) + (c.nspec - 1) * m * (2 * r + 1);
}

// A patch's part of N and of the sums over pixels, which are computed once per frame
// (gpu/extract/normal_equations/frame_bands.cu): the products of its core bins. Then the patch
// copies the bands of all its bins, one band per spectrum and one per pair of neighbors, adds the
// prior, and recomputes the few sums that its rows cut, which are not counted.
Cost cost_of_fiber_assembly(const PatchCounts& c) {
  const double part = c.core_nonzeros / c.nonzeros;
  const double sums = 6 * c.core_nonzeros + 2 * part * c.pair_pixels;
  const double prior = 3 * c.n;
  const double bands = fiber_band_numbers(c);
  return {sums + prior, (2 * part * c.npixel + (part + 2) * bands) * number};
}

// y = A^T W p, q = A^T W and sum_i A_ij [W_i > 0]; the prior; W A and a product for every pixel
// that two spots share, into the panels of the band. Reading the spots is not included.
Cost cost_of_band_assembly(const PatchCounts& c) {
  const double sums = 5 * c.nonzeros, prior = 3 * c.n;
  return {sums + prior + c.nonzeros + 2 * c.pair_pixels,
          (2 * c.npixel + band_sums(c).panels) * number};
}

// --- solve and decorrelate ---------------------------------------------------------------------

// flux, ivar and the diagonals of R, as written for every core bin.
double spectra_bytes(const PatchCounts& c, int ndiag) {
  return c.core_bins() * (2 * ndiag + 3) * number;
}

// From Q_s: row sums 1, Q f 2, division 1, a count for m^2.
constexpr double from_root_flops = 4;

constexpr double vectors_of_root = 2;  // 1 and y of extraction.md, section 5.1

// gpu/extract/fibers/fiber_root.cu and fiber_root_outside.cu. Each pole of the root writes L and
// both vectors to scratch and reads them again. Each pole of the term of E, in single precision,
// writes or reads L four times, and X and E X eight times.
Cost cost_of_roots(const BandFlops& band) {
  constexpr double poles = 16;  // up to a condition of 8000 or so
  // Of eight poles; by the CPU's bounds 4, 1 and 59% of the spectra of simulated frames of b, r and
  // z need the term.
  constexpr double poles_of_E = 8 * 0.21;
  const double mm = band.m * band.m;
  const double of_root = band.factor() + band.inverse() + vectors_of_root * band.solution();
  const double of_E = band.factor() + vectors_of_root * (2 * band.solution() + 2 * mm);
  const double L = band.m * (band.r + 1);
  const double X = band.m * vectors_of_root;
  return {poles * of_root + poles_of_E * of_E + 4 * mm,
          poles * 2 * (L + X) * number + poles_of_E * (4 * L + 8 * X) * single};
}

// gpu/extract/fibers: spectrum by spectrum.
void add_fibers(const PatchCounts& c, int ndiag, Costs& costs) {
  constexpr double sweeps = 6;
  const double m = c.nwave, r = c.reach;
  const BandFlops band{m, r};
  const double coupling = 2 * m * (2 * r + 1);  // N_st f_t
  const double neighbors = 2.0 * (c.nspec - 1);
  const double of_core = 2.0 * (c.ncore - 1) + (c.nspec - c.ncore);
  const double E = c.ncore * m * m;  // D_s beyond the band, in single precision
  costs.solve += {c.nspec * (band.factor() + band.inverse() + sweeps * band.solution()) +
                      sweeps * neighbors * coupling,
                  3 * fiber_band_numbers(c) * number + E * single};
  // V and rho, a band's substitution with m columns each; V^T V.
  costs.solve += {of_core * (2 * 2 * r * m * m + m * m * (m + 1)), 0};
  const Cost root = cost_of_roots(band);
  costs.decorrelate +=
      {c.ncore * root.flops, c.ncore * root.bytes + fiber_band_numbers(c) * number + E * single +
                                 spectra_bytes(c, ndiag)};
}

// gpu/linalg/block_tridiagonal.cu and gpu/extract/band.
void add_gpu_band(const PatchCounts& c, int ndiag, Costs& costs) {
  const double m = c.nwave;
  const BandSums band = band_sums(c);
  // The norm reads the panels once more. The pivots determine the condition of all patches except
  // those with masked bins.
  const double norm = 2 * band.panels;
  costs.solve += {band.factor + band.inverse + norm + 2 * band.substitution,
                  (3 * band.panels + band.M) * number};
  // A step: Z Y, Y T and T Z, each symmetric m^3, and 4 an element of T. Norms 2 m^2, A = C / |C|
  // m^2, Q = Z scale m^2.
  const double root = newton_schulz_steps * (3 * m * m * m + 4 * m * m) + 4 * m * m;
  costs.decorrelate += {band.columns + band.covariance + c.ncore * (root + from_root_flops * m * m),
                        (band.panels + band.M) * number + spectra_bytes(c, ndiag)};
}

// --- quality -----------------------------------------------------------------------------------

// m = A f, 2 per nonzero; t, residual and chi2, 8 per pixel; then sums over A_ij chi2 and used
// A_ij, 2 per nonzero each. One kernel writes chi2 and the next reads it.
Cost cost_of_quality(const PatchCounts& c) {
  constexpr double of_pixel = 8;
  return {of_pixel * c.npixel + 2 * c.nonzeros + 4 * c.core_nonzeros + 2 * c.core_bins(),
          (4 * c.npixel + 2 * c.core_bins()) * number};
}

void add_patch(const PatchCounts& c, int ndiag, Engine engine, Costs& costs) {
  if (engine == Engine::gpu_band) {
    costs.assemble += cost_of_band_assembly(c);
    add_gpu_band(c, ndiag, costs);
  } else {
    costs.assemble += cost_of_fiber_assembly(c);
    add_fibers(c, ndiag, costs);
  }
  costs.quality += cost_of_quality(c);
}

// Spots are evaluated once per bundle. assemble and quality read them.
void add_spots(const std::vector<Patch>& patches, const Psf& psf, Costs& costs) {
  for (std::size_t first = 0; first < patches.size();) {
    SpotRange range;
    std::size_t last = first;
    do {
      range.add(patches[last++]);
    } while (last < patches.size() && patches[last].bundle == patches[first].bundle);
    costs.spots += cost_of_spots(psf, range.nspec(), range.nwave());
    const double values = static_cast<double>(range.nspec()) * range.nwave() * psf.nx() * psf.ny();
    costs.assemble.bytes += values * number;
    costs.quality.bytes += values * number;
    first = last;
  }
}

}  // namespace

std::vector<CostRecord> stage_costs(const Psf& psf, const WaveGrid& grid,
                                    const ExtractOptions& options) {
  Engine engine = traits(options.milestone).engine;
  if ((engine != Engine::gpu_fibers && engine != Engine::gpu_band) ||
      options.decorrelate != Decorrelate::signal)
    return {};
  const std::vector<Patch> patches = make_patches(options, grid, psf.nfiber);
  std::vector<PatchCounts> counts = count_patches(psf, grid, options, patches);
  // All patches have the same layout: the largest reach, and blocks of the largest patch.
  int reach = 1, nspec = 1;
  for (const PatchCounts& c : counts) {
    reach = std::max(reach, c.reach);
    nspec = std::max(nspec, c.nspec);
  }
  for (PatchCounts& c : counts) c.reach = reach;
  const int nwave = counts.front().nwave;
  if (reach > gpu::largest_fiber_reach || nwave > gpu::largest_fiber_bins)
    engine = Engine::gpu_band;
  if (engine == Engine::gpu_band &&
      (reach * nspec > gpu::largest_root_band || nwave > gpu::largest_root))
    return {};

  Costs costs;
  add_spots(patches, psf, costs);
  for (const PatchCounts& c : counts)
    if (c.npixel > 0)
      add_patch(c, options.ndiag_of(psf.hsizey), engine, costs);  // else nothing to solve
  return {{"spots", costs.spots.flops, costs.spots.bytes},
          {"assemble", costs.assemble.flops, costs.assemble.bytes},
          {"solve", costs.solve.flops, costs.solve.bytes},
          {"decorrelate", costs.decorrelate.flops, costs.decorrelate.bytes},
          {"quality", costs.quality.flops, costs.quality.bytes}};
}

std::vector<CostRecord> frame_costs(const FrameOptions& options,
                                    const std::vector<CameraPsf>& frames) {
  // The PSFs of one band are nearly equal.
  std::map<char, std::vector<CostRecord>> by_band;
  std::vector<CostRecord> sums;
  for (const CameraPsf& frame : frames) {
    std::vector<CostRecord>& costs = by_band[frame.camera.at(0)];
    if (costs.empty()) {
      const Psf psf = read_psf(frame.psf);
      costs = stage_costs(psf, make_wave_grid(wave_range_of(options.wavelength, frame.camera, psf)),
                          options);
    }
    sums.resize(std::max(sums.size(), costs.size()));
    for (std::size_t k = 0; k < costs.size(); ++k)
      sums[k] = {costs[k].stage, sums[k].flops + costs[k].flops, sums[k].bytes + costs[k].bytes};
  }
  return sums;
}

}  // namespace spex::bench
