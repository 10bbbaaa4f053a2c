#include "bench/run/launch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "reference/core/error.hpp"
#include "reference/model/milestones.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// interleave-io has a reader and a writer besides the ranks that extract.
constexpr int file_ranks = 2;

int ranks_per_node(const Entry& entry, const Machine& machine) {
  if (entry.ranks) return *entry.ranks;
  if (!entry.on_gpu()) return machine.cpus;
  return entry.gpus * entry.ranks_per_gpu +
         (traits(entry.milestone).schedule == Schedule::interleave_io ? file_ranks : 0);
}

// This process's variables whose names begin with one of `starts`.
std::map<std::string, std::string> variables(std::initializer_list<const char*> starts) {
  std::map<std::string, std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos &&
        std::ranges::any_of(starts, [&](const char* start) { return text.starts_with(start); }))
      found[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return found;
}

// Records the names of all variables, and the values of those that hold no secrets: MPI's, CUDA's,
// OpenMP's, the loader's, this project's, and Slurm's description of the job.
void record_environment(LaunchRecord& launch) {
  for (const auto& [name, value] : variables({""})) launch.variables.push_back(name);
  launch.environment = launch_environment();
  launch.environment.merge(
      variables({"OMP_", "OPENBLAS_", "OMPI_", "PMIX_", "PRTE_", "HYDRA_", "HWLOC_", "GLIBC_",
                 "CUDA_", "UCX_", "NCCL_", "SPEX_", "MPICH_", "MPI_", "FI_", "LD_", "NVIDIA_"}));
  launch.slurm =
      variables({"SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_JOB_NUM_NODES", "SLURM_JOB_NODELIST",
                 "SLURM_JOB_PARTITION", "SLURM_JOB_QOS", "SLURM_NTASKS", "SLURM_CPUS_PER_TASK",
                 "SLURM_GPUS", "SLURM_MPI_TYPE", "SLURM_CLUSTER_NAME"});
}

void append(std::vector<std::string>& to, const std::vector<std::string>& arguments) {
  to.insert(to.end(), arguments.begin(), arguments.end());
}

std::vector<std::string> open_mpi(const Entry& entry, const Machine& machine,
                                  const LaunchRecord& launch) {
  const int per_node = launch.ranks / launch.nodes;
  std::vector<std::string> arguments{"-n", std::to_string(launch.ranks)};
  if (launch.nodes > 1) {
    append(arguments, {"--map-by", fmt::format("ppr:{}:node", per_node)});
    // Open MPI does not forward the environment to other nodes.
    for (const auto& [name, value] : launch_environment()) append(arguments, {"-x", name});
  }
  append(arguments, {"--bind-to", entry.binding});
  // One slot per hardware thread, like machine.cpus. Open MPI's default is one per core.
  if (entry.binding == "none") arguments.emplace_back("--use-hwthread-cpus");
  if (per_node > machine.cpus) arguments.emplace_back("--oversubscribe");
  return arguments;
}

// Arguments of MPICH's launcher, which counts no slots and forwards all variables.
std::vector<std::string> hydra(const Entry& entry, const LaunchRecord& launch) {
  std::vector<std::string> arguments{"-n", std::to_string(launch.ranks)};
  if (launch.nodes > 1) append(arguments, {"-ppn", std::to_string(launch.ranks / launch.nodes)});
  append(arguments, {"-bind-to", entry.binding});
  return arguments;
}

std::vector<std::string> srun(const Entry& entry, const Machine& machine,
                              const LaunchRecord& launch, const std::string& pmi) {
  const int per_node = launch.ranks / launch.nodes;
  std::string bind = entry.binding;
  if (bind == "core" || bind == "socket") bind += "s";
  if (bind == "numa") bind = "ldoms";
  std::vector<std::string> arguments{
      fmt::format("--nodes={}", launch.nodes),
      fmt::format("--ntasks={}", launch.ranks),
      fmt::format("--ntasks-per-node={}", per_node),
      fmt::format("--cpus-per-task={}", std::max(1, machine.cpus / per_node)),
      "--cpu-bind=" + bind,
      "--kill-on-bad-exit=1"};
  if (!pmi.empty()) arguments.push_back("--mpi=" + pmi);
  if (per_node > machine.cpus) arguments.emplace_back("--overcommit");
  if (entry.on_gpu())
    append(arguments, {fmt::format("--gpus-per-node={}", entry.last_gpu()), "--gpu-bind=none"});
  return arguments;
}

// The launcher's command line before the program.
std::vector<std::string> launcher_arguments(const Entry& entry, const Machine& machine,
                                            const LaunchRecord& launch, const Launcher& launcher) {
  std::vector<std::string> arguments{launcher.program};
  if (launcher.is_srun())
    append(arguments, srun(entry, machine, launch, launcher.pmi));
  else
    append(arguments, launcher.syntax == LauncherSyntax::hydra ? hydra(entry, launch)
                                                               : open_mpi(entry, machine, launch));
  append(arguments, launcher.options);
  return arguments;
}

// The variable that shows CUDA only the entry's GPUs.
std::string visible_devices(const Entry& entry, const Machine& machine) {
  std::vector<std::string> names;
  for (const mpi::VisibleGpu& gpu : gpus_of(entry, machine)) names.push_back(gpu.name);
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

Programs Programs::in_own_folder() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  Programs programs;
  programs.spex_cpu = folder / "spex-cpu";
  programs.spex_gpu = folder / "spex-gpu";
  programs.spex_sim = folder / "spex-sim";
  programs.mps_wrapper = folder / "mps-wrapper";
  return programs;
}

std::vector<std::string> Programs::present() const {
  std::vector<std::string> found;
  for (const std::string& program : {spex_cpu, spex_gpu, spex_sim, mps_wrapper})
    if (fs::exists(program)) found.push_back(program);
  return found;
}

void Programs::require_for(const std::vector<Entry>& entries) const {
  std::vector<std::string> needed{spex_cpu, spex_sim};
  for (const Entry& entry : entries) {
    if (entry.on_gpu()) needed.push_back(spex_gpu);
    if (entry.mps) needed.push_back(mps_wrapper);
  }
  for (const std::string& program : needed)
    if (!fs::exists(program))
      throw data_error(program, "is missing", "the project's programs in one folder");
}

std::vector<mpi::VisibleGpu> gpus_of(const Entry& entry, const Machine& machine) {
  const auto all = static_cast<std::ptrdiff_t>(machine.visible.size());
  const std::ptrdiff_t first = std::min<std::ptrdiff_t>(entry.first_gpu, all);
  const std::ptrdiff_t last = std::min<std::ptrdiff_t>(first + entry.gpus, all);
  return {machine.visible.begin() + first, machine.visible.begin() + last};
}

LaunchRecord make_launch(const Entry& entry, const Machine& machine, const LaunchSettings& settings,
                         const Programs& programs, const std::vector<std::string>& options) {
  LaunchRecord launch;
  launch.alone = entry.alone;
  record_environment(launch);
  launch.gpus_per_node = entry.gpus;
  if (entry.on_gpu()) launch.ranks_per_gpu = entry.ranks_of_gpu();
  launch.mps = entry.mps;
  launch.binding = entry.binding;
  launch.nodes = entry.nodes.value_or(settings.nodes);
  const int per_node = ranks_per_node(entry, machine);
  launch.ranks = launch.nodes * per_node;
  launch.launcher = settings.launcher.is_srun() ? "srun" : "mpirun";
  if (launch.launcher == "mpirun" && launch.ranks == 1) launch.launcher = "none";
  if (launch.launcher != "none") launch.launcher_options = settings.launcher.options;

  // One MPS server around mpirun on one node; otherwise one around each rank, on every node.
  const bool mps_outside = launch.launcher != "srun" && launch.nodes == 1;
  if (entry.mps && mps_outside) launch.argv.push_back(programs.mps_wrapper);
  if (launch.launcher != "none")
    append(launch.argv, launcher_arguments(entry, machine, launch, settings.launcher));
  if (entry.mps && !mps_outside) launch.argv.push_back(programs.mps_wrapper);

  // Slurm gives a step its first GPUs. Others are chosen within the step, where Slurm's variable is
  // already set.
  const bool within_step = launch.launcher == "srun" && entry.first_gpu > 0;
  if (entry.first_gpu > 0 && (launch.nodes > 1 || (within_step && machine.nodes_allocated > 1)))
    throw usage_error("--nodes", fmt::format("{} has 'first_gpu'", entry.id),
                      "one node, on which this program runs");
  if (within_step)
    append(launch.argv, {"env", "CUDA_VISIBLE_DEVICES=" + visible_devices(entry, machine)});
  launch.argv.push_back(entry.on_gpu() ? programs.spex_gpu : programs.spex_cpu);
  append(launch.argv, {"--milestone", to_string(entry.milestone)});
  // The paper runs one rank per CPU. Fewer ranks share the CPUs as threads.
  if (!entry.on_gpu() || entry.threads) {
    launch.threads_per_rank = entry.threads.value_or(std::max(1, machine.cpus / per_node));
    append(launch.argv, {"--threads", std::to_string(*launch.threads_per_rank)});
  }
  append(launch.argv, entry.result_options());
  append(launch.argv, entry.run_options);
  append(launch.argv, options);

  // Select GPUs by UUID, so that the run uses the GPUs that NVML watches. On other nodes, whose
  // UUIDs differ, and under srun, the launcher selects the GPUs.
  if (entry.on_gpu() && launch.launcher != "srun" && launch.nodes == 1)
    launch.environment["CUDA_VISIBLE_DEVICES"] = visible_devices(entry, machine);
  return launch;
}

std::map<std::string, std::string> launch_environment() {
  std::map<std::string, std::string> environment;
  // CUDA numbers GPUs as NVML does, not the fastest first.
  environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  // Without this, hwloc in mpirun initializes every GPU (mpi/comm/environment.cpp).
  if (std::getenv("HWLOC_COMPONENTS") == nullptr)
    environment["HWLOC_COMPONENTS"] = "-cuda,-nvml,-opencl,-gl";
  if (geteuid() == 0) {
    environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
    environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  }
  return environment;
}

}  // namespace spex::bench
