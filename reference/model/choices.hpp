// The choices between ways to extract: values of options, and properties of milestones.
#pragma once

#include <string>

namespace spex {

/// The device that computes patches.
enum class Device { cpu, gpu };

/// The milestones, by name (reference/model/milestones.hpp).
enum class Milestone : int;
/// The default of an extraction's options: cpu_refactor.
inline constexpr Milestone milestone_of_options{2};

/// How N is inverted and roots are taken (extraction.md, section 5). eigh is the reference method.
enum class Method { eigh, cholesky };

/// The schedule of reading, extracting and writing frames. All schedules write the same bytes.
enum class Schedule {
  sequential,     ///< each group of ranks reads, extracts and writes one frame after another
  interleave_io,  ///< in each group one rank reads, one rank writes, and the others extract
  pipeline,       ///< each rank is a group; its threads read, extract and write concurrently
};

/// How patches are distributed over the ranks that extract a frame (mpi/run/assign.hpp).
enum class WorkUnit {
  bundle,  ///< whole bundles; subbundles if there are more ranks than bundles
  patch,   ///< bundles to devices in turn; a bundle's patches in turn to the ranks of its device
};

/// The granularity of spot evaluation.
enum class SpotWork {
  scalar,  ///< per patch, one spot at a time, without cached values
  patch,   ///< per patch, many wavelengths at a time
  bundle,  ///< once for all patches of a bundle
};

/// The implementation that computes a patch.
enum class Engine {
  cpu_sparse,  ///< sparse A, patch by patch
  cpu_dense,   ///< dense A
  gpu_eigh,    ///< dense A, eigendecompositions by cuSOLVER
  gpu_band,    ///< N computed directly from overlapping spots, stored as one band
  gpu_fibers,  ///< the same, spectrum by spectrum
};

/// The library routine for eigendecompositions, and how many matrices it takes in a call.
enum class EighRoutine {
  dsyevr,         ///< LAPACK: relatively robust representations; one matrix
  dsyevd,         ///< LAPACK, cuSOLVER (Xsyevd): divide and conquer; one matrix
  syevj,          ///< cuSOLVER: Jacobi rotations; one matrix
  syevj_batched,  ///< cuSOLVER: Jacobi rotations; all matrices of a batch
  syev_batched,   ///< cuSOLVER (XsyevBatched, since CUDA 12.6 update 2); all matrices of a batch
};

/// How an engine that decomposes N computes f = N^-1 y.
enum class SolveRoutine {
  eigenvectors,      ///< from the eigenvectors of N
  qr,                ///< geqrf, ormqr, trsm; one patch
  cholesky,          ///< potrf, potrs; one patch
  cholesky_batched,  ///< potrfBatched, potrsBatched; all patches of a batch
};

/// The routines of an engine that decomposes N.
struct EighRoutines {
  SolveRoutine f = SolveRoutine::eigenvectors;  ///< of the solution
  EighRoutine N = EighRoutine::dsyevd;          ///< of the whole patch
  EighRoutine blocks = EighRoutine::dsyevd;     ///< of C

  /// Whether a batch is all patches of a subbundle instead of one patch.
  [[nodiscard]] constexpr bool batch_patches() const { return f == SolveRoutine::cholesky_batched; }
};

/// The routines of the last fallback of the GPU: Jacobi rotations keep most digits of small
/// eigenvalues.
inline constexpr EighRoutines fallback_routines{SolveRoutine::cholesky, EighRoutine::dsyevd,
                                                EighRoutine::syevj};

/// signal: blocks of C (the default); noise: N^(1/2) of the whole patch.
enum class Decorrelate { signal, noise };

/// Selects f in flux = Q f / r: the patch's own f, which lacks the light of bins beyond the padding
/// (default, as in production), or f of the whole frame.
enum class FluxSolver { patch, frame };

/// Pixels that chi2pix counts (section 6): all weighted pixels, as gpu_specter's NumPy path, or
/// only weighted pixels with a positive model, as its GPU path.
enum class Chi2Pixels { weighted, bright };

/// The rule of BAD2DFIT (section 7): chi2pix relative to its medians, as in production since
/// desispec 0.71, or chi2pix above 100, as before.
enum class Bad2dFit { relative, chi2 };

/// Whether the tails of a PSF of the kind GAUSS-HERMITE are part of its spots (section 2.3):
/// production ignores them.
enum class PsfTails { off, on };

/// The name on the command line.
[[nodiscard]] std::string to_string(Milestone milestone);
/// The name on the command line.
[[nodiscard]] std::string to_string(Method method);
/// The name on the command line.
[[nodiscard]] std::string to_string(Schedule schedule);
/// The name on the command line.
[[nodiscard]] std::string to_string(Decorrelate decorrelate);
/// The name on the command line.
[[nodiscard]] std::string to_string(FluxSolver flux);
/// The name on the command line.
[[nodiscard]] std::string to_string(Chi2Pixels pixels);
/// The name on the command line.
[[nodiscard]] std::string to_string(Bad2dFit rule);
/// The name on the command line.
[[nodiscard]] std::string to_string(PsfTails tails);

}  // namespace spex
