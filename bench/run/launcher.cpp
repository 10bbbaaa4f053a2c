#include "bench/run/launcher.hpp"

#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/machine/machine.hpp"
#include "bench/machine/program_files.hpp"

namespace spex::bench {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string name_of(MpiFamily family) {
  static const std::map<MpiFamily, std::string> names{{MpiFamily::open_mpi, "Open MPI"},
                                                      {MpiFamily::mpich, "MPICH"},
                                                      {MpiFamily::cray_mpich, "Cray MPICH"},
                                                      {MpiFamily::other, "this MPI"}};
  return names.at(family);
}

// The option syntax of the launcher whose --version prints `version`, if known.
std::optional<LauncherSyntax> syntax_of(std::string_view version) {
  if (contains(version, "Open MPI") || contains(version, "OpenRTE"))
    return LauncherSyntax::open_mpi;
  if (contains(version, "HYDRA") || contains(version, "Intel(R) MPI")) return LauncherSyntax::hydra;
  return std::nullopt;
}

// The option syntax of this MPI's own launcher; Cray MPICH has none.
std::optional<LauncherSyntax> syntax_of(MpiFamily family) {
  if (family == MpiFamily::open_mpi) return LauncherSyntax::open_mpi;
  if (family == MpiFamily::mpich) return LauncherSyntax::hydra;
  return std::nullopt;
}

// Its possible names on the PATH. Debian can install both, under the longer names.
std::vector<std::string> names_of(std::optional<LauncherSyntax> syntax) {
  if (syntax == LauncherSyntax::hydra)
    return {"mpiexec.hydra", "mpiexec.mpich", "mpiexec", "mpirun"};
  return {"mpirun", "mpiexec", "mpirun.openmpi"};
}

// Slurm's launcher, or nothing if Slurm cannot start this MPI. `pmi` stays empty if the site's
// default applies.
std::optional<Launcher> srun_of(const LauncherSurroundings& here) {
  Launcher launcher{.syntax = LauncherSyntax::srun, .program = "srun"};
  if (here.pmi_is_set) return launcher;
  // Slurm prints its PMI types one per line, or in one line after "(available)".
  std::istringstream list(here.output_of("srun", "--mpi=list"));
  const std::set<std::string> types{std::istream_iterator<std::string>(list), {}};
  if (types.empty()) return std::nullopt;
  if (here.mpi == MpiFamily::open_mpi) {
    if (!types.contains("pmix")) return std::nullopt;
    launcher.pmi = "pmix";
  }
  if (here.mpi == MpiFamily::mpich && types.contains("pmi2")) launcher.pmi = "pmi2";
  return launcher;
}

Launcher missing(std::string why) {
  return {.program = "", .missing = std::move(why)};
}

Launcher own_launcher(const LauncherSurroundings& here) {
  const std::optional<LauncherSyntax> wanted = syntax_of(here.mpi);
  const std::vector<std::string> names = names_of(wanted);
  for (const std::string& name : names) {
    const std::optional<LauncherSyntax> syntax = syntax_of(here.output_of(name, "--version"));
    if (syntax && (!wanted || syntax == wanted)) return {.syntax = *syntax, .program = name};
  }
  return missing(
      fmt::format("none of {} on the PATH is of {}", fmt::join(names, ", "), name_of(here.mpi)));
}

std::string run_and_read(const std::string& program, const std::string& argument) {
  return output_of_shell(
      fmt::format("command -v {0} >/dev/null && {0} {1} 2>&1 </dev/null", program, argument));
}

}  // namespace

MpiFamily mpi_family(std::string_view version) {
  if (contains(version, "Open MPI")) return MpiFamily::open_mpi;
  if (contains(version, "CRAY MPICH")) return MpiFamily::cray_mpich;
  if (contains(version, "MPICH") || contains(version, "MVAPICH") ||
      contains(version, "Intel(R) MPI"))
    return MpiFamily::mpich;
  return MpiFamily::other;
}

LauncherSurroundings LauncherSurroundings::here() {
  return {mpi_family(mpi_library_version()), std::getenv("SLURM_JOB_ID") != nullptr,
          std::getenv("SLURM_MPI_TYPE") != nullptr, run_and_read};
}

Launcher choose_launcher(const std::string& asked, const LauncherSurroundings& here) {
  if (asked == "srun" || (asked == "auto" && here.in_slurm_job)) {
    if (const std::optional<Launcher> srun = srun_of(here)) return *srun;
    if (asked == "srun") {
      if (here.output_of("srun", "--version").empty()) return missing("srun is not on the PATH");
      return missing("srun --mpi=list has no " + name_of(here.mpi));
    }
  }
  if (asked == "auto") return own_launcher(here);
  const std::string version = here.output_of(asked, "--version");
  if (version.empty()) return missing(asked + " is not on the PATH");
  const std::optional<LauncherSyntax> syntax = syntax_of(version);
  if (!syntax) return missing(asked + " is neither Open MPI's nor MPICH's");
  // The wrong launcher would start each rank in an MPI world of size one.
  if (const auto wanted = syntax_of(here.mpi); wanted && syntax != wanted)
    return missing(fmt::format("{} is not that of {}, which the programs are linked with", asked,
                               name_of(here.mpi)));
  return {.syntax = *syntax, .program = asked};
}

}  // namespace spex::bench
