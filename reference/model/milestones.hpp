// The rungs of the ladder (milestones.md): the one place that says what each is.
//
// A rung is a row of `milestones`; programs, schedules, extractors, plans and reports look up here
// what they need to know of it. What it computes with is its engine.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spex {

/// What the patches of a rung are computed on.
enum class Device { cpu, gpu };

/// How N is inverted and roots are taken (extraction.md, section 5). eigh is the definition.
enum class Method { eigh, cholesky };

/// How reading, extracting and writing of many frames follow each other. Outputs are the same
/// bytes.
enum class Schedule {
  sequential,     ///< each group of ranks reads, extracts and writes a frame after the other
  interleave_io,  ///< in each group one rank reads, one writes, and the others extract
  pipeline,       ///< each rank is a group, whose threads read, extract and write
};

/// What a rank takes of a frame's patches at least.
enum class WorkUnit { patch, bundle };

/// How spots are evaluated.
enum class SpotWork {
  scalar,  ///< for each patch, one spot after the other, nothing kept between them
  patch,   ///< for each patch, many wavelengths at a time
  bundle,  ///< once for all patches of a bundle
};

/// What computes a patch.
enum class Engine {
  cpu_sparse,  ///< A sparse, patch by patch
  cpu_dense,   ///< A dense
  gpu_eigh,    ///< A dense, eigendecompositions by cuSOLVER
  gpu_band,    ///< N straight from overlapping spots, as one band
  gpu_fibers,  ///< the same, spectrum by spectrum
};

/// How many eigendecompositions a library is given at a time.
enum class EigenBatch {
  none,              ///< one N, one block
  blocks,            ///< one N, the blocks of a patch
  subbundle_blocks,  ///< one N, the blocks of all patches of a subbundle
  all,               ///< N of all patches of a subbundle, and all their blocks
};

/// Whether the patches of a subbundle are solved together.
[[nodiscard]] constexpr bool batches_patches(EigenBatch batch) {
  return batch == EigenBatch::subbundle_blocks || batch == EigenBatch::all;
}

/// The rungs of the ladder (docs/milestones.md), in its order.
enum class Milestone {
  scalar,
  baseline,
  cpu_refactor,
  multi_gpu,
  batch_eigh,
  batch_subbundle,
  interleave_io,
  batch_syev,
  band,
  direct,
  pipeline,
};

/// What a rung is.
struct MilestoneTraits {
  Milestone milestone;    ///< which rung
  std::string_view name;  ///< as on the command line, in plans, results and headers
  Device device;          ///< what computes
  Method method;          ///< what a GPU's rung does; the CPU's do either, this one where not told
  Schedule schedule;      ///< how frames are dealt to ranks
  WorkUnit unit;          ///< what a rank takes at least
  Engine engine;          ///< how a patch is computed
  EigenBatch batch;       ///< where the engine decomposes
  SpotWork spots;         ///< how spots are evaluated
  bool solves_frame;      ///< `--flux frame` (extraction.md, 5.2) is there
};

/// All rungs, in the order of the ladder and of `Milestone`.
inline constexpr std::array milestones{
    MilestoneTraits{Milestone::scalar, "scalar", Device::cpu, Method::eigh, Schedule::sequential,
                    WorkUnit::patch, Engine::cpu_sparse, EigenBatch::none, SpotWork::scalar, true},
    MilestoneTraits{Milestone::baseline, "baseline", Device::cpu, Method::eigh,
                    Schedule::sequential, WorkUnit::patch, Engine::cpu_sparse, EigenBatch::none,
                    SpotWork::patch, true},
    MilestoneTraits{Milestone::cpu_refactor, "cpu-refactor", Device::cpu, Method::eigh,
                    Schedule::sequential, WorkUnit::bundle, Engine::cpu_dense, EigenBatch::none,
                    SpotWork::bundle, true},
    MilestoneTraits{Milestone::multi_gpu, "multi-gpu", Device::gpu, Method::eigh,
                    Schedule::sequential, WorkUnit::bundle, Engine::gpu_eigh, EigenBatch::none,
                    SpotWork::bundle, false},
    MilestoneTraits{Milestone::batch_eigh, "batch-eigh", Device::gpu, Method::eigh,
                    Schedule::sequential, WorkUnit::bundle, Engine::gpu_eigh, EigenBatch::blocks,
                    SpotWork::bundle, false},
    MilestoneTraits{Milestone::batch_subbundle, "batch-subbundle", Device::gpu, Method::eigh,
                    Schedule::sequential, WorkUnit::bundle, Engine::gpu_eigh,
                    EigenBatch::subbundle_blocks, SpotWork::bundle, false},
    MilestoneTraits{Milestone::interleave_io, "interleave-io", Device::gpu, Method::eigh,
                    Schedule::interleave_io, WorkUnit::bundle, Engine::gpu_eigh,
                    EigenBatch::subbundle_blocks, SpotWork::bundle, false},
    MilestoneTraits{Milestone::batch_syev, "batch-syev", Device::gpu, Method::eigh,
                    Schedule::interleave_io, WorkUnit::bundle, Engine::gpu_eigh, EigenBatch::all,
                    SpotWork::bundle, false},
    MilestoneTraits{Milestone::band, "band", Device::gpu, Method::cholesky, Schedule::sequential,
                    WorkUnit::bundle, Engine::gpu_band, EigenBatch::none, SpotWork::bundle, false},
    MilestoneTraits{Milestone::direct, "direct", Device::gpu, Method::cholesky,
                    Schedule::sequential, WorkUnit::bundle, Engine::gpu_fibers, EigenBatch::none,
                    SpotWork::bundle, true},
    MilestoneTraits{Milestone::pipeline, "pipeline", Device::gpu, Method::cholesky,
                    Schedule::pipeline, WorkUnit::bundle, Engine::gpu_fibers, EigenBatch::none,
                    SpotWork::bundle, true},
};

static_assert(std::ranges::is_sorted(milestones, {}, &MilestoneTraits::milestone));
static_assert(static_cast<std::size_t>(milestones.back().milestone) + 1 == milestones.size());

/// What a program does where no milestone is asked for.
[[nodiscard]] constexpr Milestone default_milestone(Device device) {
  return device == Device::cpu ? Milestone::cpu_refactor : Milestone::pipeline;
}

/// The row of a milestone.
[[nodiscard]] constexpr const MilestoneTraits& traits(Milestone milestone) {
  return milestones[static_cast<std::size_t>(milestone)];
}

/// The milestone of that name; nothing where there is none.
[[nodiscard]] std::optional<Milestone> find_milestone(std::string_view name);

/// The milestones of a device, its default first.
[[nodiscard]] std::vector<Milestone> milestones_of(Device device);

/// As on the command line.
[[nodiscard]] std::string to_string(Milestone milestone);
/// As on the command line.
[[nodiscard]] std::string to_string(Method method);
/// As on the command line.
[[nodiscard]] std::string to_string(Schedule schedule);

}  // namespace spex
