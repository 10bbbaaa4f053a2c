#include "bench/machine/machine.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>

#include <fitsio.h>
#include <fmt/format.h>
#include <mpi.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bench/machine/system_facts.hpp"
#include "reference/core/blas.hpp"
#include "reference/core/lapack.hpp"
#include "reference/core/parallel.hpp"
#include "reference/core/sys_files.hpp"
#include "reference/core/version.hpp"
#include "spex_build_info.hpp"

namespace spex::bench {
namespace {

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

Machine describe_machine(const Nvml& nvml, const std::string& name) {
  Machine machine;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  machine.name = name.empty() ? std::string(host.data()) : name;
  const std::string list = environment("SLURM_JOB_NODELIST");
  machine.hosts = {list.empty() ? std::string(host.data()) : list};
  const std::string nodes = environment("SLURM_JOB_NUM_NODES");
  machine.nodes_allocated = nodes.empty() ? 1 : std::max(1, std::atoi(nodes.c_str()));
  machine.cpu = value_in("/proc/cpuinfo", "model name", ':').value_or("unknown");
  machine.cpus = default_threads();
  const std::string memory = value_in("/proc/meminfo", "MemTotal", ':').value_or("0");
  machine.memory_bytes = 1024 * std::strtod(memory.c_str(), nullptr);
  machine.os = value_in("/etc/os-release", "PRETTY_NAME", '=').value_or("unknown");
  utsname names{};
  machine.kernel = uname(&names) == 0 ? names.release : "unknown";
  machine.visible = mpi::visible_gpus(nvml.identities(), std::getenv("CUDA_VISIBLE_DEVICES"),
                                      environment("CUDA_DEVICE_ORDER"));
  for (const mpi::VisibleGpu& gpu : machine.visible)
    machine.gpus.push_back(nvml.describe(gpu.index));
  machine.driver = nvml.driver();
  machine.gpus_reason = given(nvml.reason());
  machine.facts = read_system_facts();
  return machine;
}

std::string mpi_library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);  // allowed before MPI_Init
  return text.data();
}

BuildRecord describe_build() {
  const std::string mpi = mpi_library_version();
  lapack_int major = 0, minor = 0, patch = 0;
  LAPACKE_ilaver(&major, &minor, &patch);
  BuildRecord build;
  build.version = version();
  build.commit = given(SPEX_COMMIT);
  if (build.commit) build.dirty = SPEX_DIRTY;
  build.sources_sha256 = given(SPEX_SOURCES);
  build.compiler = SPEX_BUILD_COMPILER;
  build.flags = SPEX_BUILD_FLAGS;
  build.cuda = given(SPEX_BUILD_CUDA).value_or("not built with CUDA");
  // The version ends at Open MPI's packager, or at MPICH's lines about its configuration.
  build.mpi = mpi.substr(0, std::min(mpi.find(", package"), mpi.find('\n')));
  build.blas = blas_library().configuration;
  build.lapack = fmt::format("LAPACK {}.{}.{}", major, minor, patch);
  build.cfitsio = "CFITSIO " SPEX_CFITSIO_VERSION;
  build.gpu_architectures = given(SPEX_BUILD_ARCHITECTURES);
  return build;
}

std::string file_system_of(const std::string& folder) {
  struct statfs about {};
  if (statfs(folder.c_str(), &about) != 0) return "unknown";
  const auto magic = static_cast<unsigned long>(about.f_type);
  // Magic numbers of statfs(2).
  static const std::map<unsigned long, const char*> names{
      {0x01021994, "tmpfs"}, {0xEF53, "ext4"},       {0x58465342, "xfs"}, {0x794c7630, "overlayfs"},
      {0x6969, "nfs"},       {0x0BD00BD0, "lustre"}, {0x47504653, "gpfs"}};
  const auto found = names.find(magic);
  return found != names.end() ? found->second : fmt::format("file system {:#x}", magic);
}

}  // namespace spex::bench
