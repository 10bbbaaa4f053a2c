// The table of milestones (milestones.md).
//
// Each milestone is a row of `milestones`. Programs, schedules, extractors, plans and reports look
// up its properties here. The engine is the implementation that a milestone uses.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spex {

/// The device that computes patches.
enum class Device { cpu, gpu };

/// How N is inverted and roots are taken (extraction.md, section 5). eigh is the reference method.
enum class Method { eigh, cholesky };

/// The schedule of reading, extracting and writing frames. All schedules write the same bytes.
enum class Schedule {
  sequential,     ///< each group of ranks reads, extracts and writes one frame after another
  interleave_io,  ///< in each group one rank reads, one rank writes, and the others extract
  pipeline,       ///< each rank is a group; its threads read, extract and write concurrently
};

/// The smallest unit of work that is assigned to a rank.
enum class WorkUnit { patch, bundle };

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

/// How many eigendecompositions are batched in one library call.
enum class EigenBatch {
  none,              ///< one N; one block
  blocks,            ///< one N; the blocks of a patch
  subbundle_blocks,  ///< one N; the blocks of all patches of a subbundle
  all,               ///< N of all patches of a subbundle; all their blocks
};

/// Whether the patches of a subbundle are solved together.
[[nodiscard]] constexpr bool batches_patches(EigenBatch batch) {
  return batch == EigenBatch::subbundle_blocks || batch == EigenBatch::all;
}

/// The milestones in order (docs/milestones.md).
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

/// Properties of a milestone.
struct MilestoneTraits {
  Milestone milestone;    ///< key of the row
  std::string_view name;  ///< name on the command line, in plans, results and headers
  Device device;          ///< device that computes
  Method method;          ///< a GPU milestone's method, or a CPU milestone's default
  Schedule schedule;      ///< schedule of frames over ranks
  WorkUnit unit;          ///< smallest unit of work of a rank
  Engine engine;          ///< implementation
  EigenBatch batch;       ///< batching of eigendecompositions, if the engine uses them
  SpotWork spots;         ///< granularity of spot evaluation
  bool solves_frame;      ///< supports `--flux frame` (extraction.md, 5.2)
};

/// All milestones, in the order of `Milestone`.
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

/// The default milestone of a device.
[[nodiscard]] constexpr Milestone default_milestone(Device device) {
  return device == Device::cpu ? Milestone::cpu_refactor : Milestone::pipeline;
}

/// Properties of a milestone.
[[nodiscard]] constexpr const MilestoneTraits& traits(Milestone milestone) {
  return milestones[static_cast<std::size_t>(milestone)];
}

/// The milestone with the name; nothing if there is no such milestone.
[[nodiscard]] std::optional<Milestone> find_milestone(std::string_view name);

/// The milestones of a device, the default first.
[[nodiscard]] std::vector<Milestone> milestones_of(Device device);

/// The name on the command line.
[[nodiscard]] std::string to_string(Milestone milestone);
/// The name on the command line.
[[nodiscard]] std::string to_string(Method method);
/// The name on the command line.
[[nodiscard]] std::string to_string(Schedule schedule);

}  // namespace spex
