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

#include "reference/model/choices.hpp"

namespace spex {

/// The milestones in order (docs/milestones.md).
enum class Milestone : int {
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
  cpu_direct,  ///< the same method on the CPU, under the same name
};

/// Properties of a milestone. A row names those that differ from the defaults.
struct MilestoneTraits {
  Milestone milestone;                       ///< key of the row
  std::string_view name;                     ///< name on the command line, in plans and headers
  Device device;                             ///< device that computes
  Method method;                             ///< a GPU milestone's method, a CPU one's default
  Schedule schedule = Schedule::sequential;  ///< schedule of frames over ranks
  WorkUnit unit = WorkUnit::bundle;          ///< distribution of patches over ranks
  Engine engine;                             ///< implementation
  EighRoutines eigh = {};                    ///< routines, if the engine decomposes N
  SpotWork spots = SpotWork::bundle;         ///< granularity of spot evaluation
  int nsubbundles = 5;                       ///< default of --nsubbundles
  bool solves_frame = false;                 ///< supports `--flux frame` (extraction.md, 5.2)
};

/// All milestones, in the order of `Milestone`.
inline constexpr std::array milestones{
    MilestoneTraits{.milestone = Milestone::scalar,
                    .name = "scalar",
                    .device = Device::cpu,
                    .method = Method::eigh,
                    .engine = Engine::cpu_sparse,
                    .eigh = {SolveRoutine::eigenvectors, EighRoutine::dsyevr, EighRoutine::dsyevr},
                    .spots = SpotWork::scalar,
                    .nsubbundles = 1,
                    .solves_frame = true},
    MilestoneTraits{.milestone = Milestone::baseline,
                    .name = "baseline",
                    .device = Device::cpu,
                    .method = Method::eigh,
                    .engine = Engine::cpu_sparse,
                    .eigh = {SolveRoutine::eigenvectors, EighRoutine::dsyevr, EighRoutine::dsyevr},
                    .spots = SpotWork::patch,
                    .solves_frame = true},
    MilestoneTraits{.milestone = Milestone::cpu_refactor,
                    .name = "cpu-refactor",
                    .device = Device::cpu,
                    .method = Method::eigh,
                    .engine = Engine::cpu_dense,
                    .solves_frame = true},
    MilestoneTraits{.milestone = Milestone::multi_gpu,
                    .name = "multi-gpu",
                    .device = Device::gpu,
                    .method = Method::eigh,
                    .unit = WorkUnit::patch,
                    .engine = Engine::gpu_eigh,
                    .eigh = {SolveRoutine::qr, EighRoutine::dsyevd, EighRoutine::dsyevd}},
    MilestoneTraits{.milestone = Milestone::batch_eigh,
                    .name = "batch-eigh",
                    .device = Device::gpu,
                    .method = Method::eigh,
                    .unit = WorkUnit::patch,
                    .engine = Engine::gpu_eigh,
                    .eigh = {SolveRoutine::qr, EighRoutine::dsyevd, EighRoutine::syevj_batched}},
    MilestoneTraits{.milestone = Milestone::batch_subbundle,
                    .name = "batch-subbundle",
                    .device = Device::gpu,
                    .method = Method::eigh,
                    .engine = Engine::gpu_eigh,
                    .eigh = {SolveRoutine::cholesky_batched, EighRoutine::syevj_batched,
                             EighRoutine::syevj_batched}},
    MilestoneTraits{.milestone = Milestone::interleave_io,
                    .name = "interleave-io",
                    .device = Device::gpu,
                    .method = Method::eigh,
                    .schedule = Schedule::interleave_io,
                    .engine = Engine::gpu_eigh,
                    .eigh = {SolveRoutine::cholesky_batched, EighRoutine::syevj_batched,
                             EighRoutine::syevj_batched}},
    MilestoneTraits{.milestone = Milestone::batch_syev,
                    .name = "batch-syev",
                    .device = Device::gpu,
                    .method = Method::eigh,
                    .schedule = Schedule::interleave_io,
                    .engine = Engine::gpu_eigh,
                    .eigh = {SolveRoutine::cholesky_batched, EighRoutine::syev_batched,
                             EighRoutine::syevj_batched}},
    MilestoneTraits{.milestone = Milestone::band,
                    .name = "band",
                    .device = Device::gpu,
                    .method = Method::cholesky,
                    .engine = Engine::gpu_band},
    MilestoneTraits{.milestone = Milestone::direct,
                    .name = "direct",
                    .device = Device::gpu,
                    .method = Method::cholesky,
                    .engine = Engine::gpu_fibers,
                    .solves_frame = true},
    MilestoneTraits{.milestone = Milestone::pipeline,
                    .name = "pipeline",
                    .device = Device::gpu,
                    .method = Method::cholesky,
                    .schedule = Schedule::pipeline,
                    .engine = Engine::gpu_fibers,
                    .solves_frame = true},
    MilestoneTraits{.milestone = Milestone::cpu_direct,
                    .name = "direct",
                    .device = Device::cpu,
                    .method = Method::cholesky,
                    .engine = Engine::cpu_dense,
                    .solves_frame = true},
};

static_assert(milestone_of_options == Milestone::cpu_refactor);
static_assert(std::ranges::is_sorted(milestones, {}, &MilestoneTraits::milestone));
static_assert(static_cast<std::size_t>(milestones.back().milestone) + 1 == milestones.size());

/// The default milestone of a device.
[[nodiscard]] constexpr Milestone default_milestone(Device device) {
  return device == Device::cpu ? Milestone::cpu_direct : Milestone::pipeline;
}

/// Properties of a milestone.
[[nodiscard]] constexpr const MilestoneTraits& traits(Milestone milestone) {
  return milestones[static_cast<std::size_t>(milestone)];
}

/// Whether the milestone can use the method. The CPU's milestones of the paper can use both.
[[nodiscard]] constexpr bool supports(Milestone milestone, Method method) {
  const MilestoneTraits& one = traits(milestone);
  return one.method == method || (one.device == Device::cpu && one.method == Method::eigh);
}

/// The milestone with the name; `direct` is that of the GPU. Nothing if there is no such milestone.
[[nodiscard]] std::optional<Milestone> find_milestone(std::string_view name);

/// The milestones of a device, the default first.
[[nodiscard]] std::vector<Milestone> milestones_of(Device device);

}  // namespace spex
