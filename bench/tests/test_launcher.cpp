// Which launcher is chosen, and the command line of each.
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "bench/run/launch.hpp"
#include "reference/model/milestones.hpp"

namespace spex::bench {
namespace {

constexpr const char* open_mpi = "mpirun (Open MPI) 4.1.4\n";
constexpr const char* open_mpi_5 = "mpirun (Open MPI) 5.0.7\n";
constexpr const char* hydra = "HYDRA build details:\n    Version: 4.0.2\n";
constexpr const char* with_pmix = "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\n";
constexpr const char* cray_slurm = "MPI plugin types are...\n\tcray_shasta\n\tnone\n\tpmi2\n";

// A machine with these programs. `srun` prints its PMI types.
LauncherSurroundings machine_with(MpiFamily mpi, std::map<std::string, std::string> programs,
                                  bool in_job = false) {
  return {mpi, in_job, false, [programs](const std::string& name, const std::string& /*argument*/) {
            const auto found = programs.find(name);
            return found == programs.end() ? std::string() : found->second;
          }};
}

TEST(Launcher, FamiliesByTheirVersions) {
  EXPECT_EQ(mpi_family("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"),
            MpiFamily::open_mpi);
  EXPECT_EQ(mpi_family("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7"), MpiFamily::mpich);
  EXPECT_EQ(mpi_family("MPI VERSION    : CRAY MPICH version 8.1.30.8 (ANL base 3.4a2)\n"),
            MpiFamily::cray_mpich);
  EXPECT_EQ(mpi_family("Intel(R) MPI Library 2021.12 for Linux* OS\n"), MpiFamily::mpich);
  EXPECT_EQ(mpi_family("MVAPICH Version       :\t3.0\n"), MpiFamily::mpich);
  EXPECT_EQ(mpi_family("HPC-X"), MpiFamily::other);
}

TEST(Launcher, BelongsToTheLinkedMpi) {
  const std::map<std::string, std::string> both{
      {"mpirun", open_mpi}, {"mpiexec", open_mpi}, {"mpiexec.hydra", hydra}};
  const Launcher mpirun = choose_launcher("auto", machine_with(MpiFamily::open_mpi, both));
  EXPECT_EQ(mpirun.program, "mpirun");
  EXPECT_EQ(mpirun.syntax, LauncherSyntax::open_mpi);
  const Launcher hydras = choose_launcher("auto", machine_with(MpiFamily::mpich, both));
  EXPECT_EQ(hydras.program, "mpiexec.hydra");
  EXPECT_EQ(hydras.syntax, LauncherSyntax::hydra);
  // MPICH alone, with mpirun as its own.
  EXPECT_EQ(choose_launcher("auto", machine_with(MpiFamily::mpich, {{"mpirun", hydra}})).program,
            "mpirun");
  // The other MPI's launcher would start each rank alone.
  const Launcher wrong = choose_launcher("mpirun", machine_with(MpiFamily::mpich, both));
  EXPECT_EQ(wrong.program, "");
  EXPECT_EQ(wrong.missing, "mpirun is not that of MPICH, which the programs are linked with");
  EXPECT_EQ(choose_launcher("auto", machine_with(MpiFamily::mpich, {{"mpirun", open_mpi}})).missing,
            "none of mpiexec.hydra, mpiexec.mpich, mpiexec, mpirun on the PATH is of MPICH");
}

TEST(Launcher, SrunWithinAJobThatCanStartThisMpi) {
  const Launcher outside = choose_launcher(
      "auto", machine_with(MpiFamily::open_mpi, {{"mpirun", open_mpi_5}, {"srun", with_pmix}}));
  EXPECT_EQ(outside.program, "mpirun");
  const auto in_job = [](MpiFamily mpi, std::map<std::string, std::string> programs) {
    return choose_launcher("auto", machine_with(mpi, std::move(programs), true));
  };
  EXPECT_EQ(in_job(MpiFamily::open_mpi, {{"mpirun", open_mpi}, {"srun", with_pmix}}).pmi, "pmix");
  EXPECT_EQ(in_job(MpiFamily::mpich, {{"mpirun", hydra}, {"srun", with_pmix}}).pmi, "pmi2");
  // srun starts Cray MPICH with the site's defaults.
  const Launcher cray = in_job(MpiFamily::cray_mpich, {{"srun", cray_slurm}});
  EXPECT_TRUE(cray.is_srun());
  EXPECT_EQ(cray.pmi, "");
  // Without PMIx, Slurm would start each rank of Open MPI alone.
  EXPECT_EQ(in_job(MpiFamily::open_mpi, {{"mpirun", open_mpi}, {"srun", cray_slurm}}).program,
            "mpirun");
  EXPECT_EQ(choose_launcher("srun", machine_with(MpiFamily::open_mpi, {{"srun", cray_slurm}}, true))
                .missing,
            "srun --mpi=list has no Open MPI");
  EXPECT_EQ(choose_launcher("srun", machine_with(MpiFamily::open_mpi, {}, true)).missing,
            "srun is not on the PATH");
  // The user's choice is kept.
  LauncherSurroundings chosen = machine_with(MpiFamily::open_mpi, {{"srun", cray_slurm}}, true);
  chosen.pmi_is_set = true;
  EXPECT_EQ(choose_launcher("auto", chosen).pmi, "");
  EXPECT_TRUE(choose_launcher("auto", chosen).is_srun());
}

// The command line up to the program.
std::string launcher_command(const Launcher& launcher, int ranks, int nodes) {
  Machine machine;
  machine.cpus = 4;
  Entry entry;
  entry.milestone = Milestone::cpu_refactor;
  entry.ranks = ranks;
  entry.binding = "none";
  const LaunchRecord launch =
      make_launch(entry, machine, {.launcher = launcher, .nodes = nodes},
                  {.spex_cpu = "spex-cpu", .spex_gpu = {}, .spex_sim = {}, .mps_wrapper = {}}, {});
  std::string text;
  for (const std::string& argument : launch.argv) {
    if (argument == "spex-cpu") break;
    text += (text.empty() ? "" : " ") + argument;
  }
  return text;
}

TEST(Launcher, EachHasItsOwnSyntax) {
  const Launcher hydras{.syntax = LauncherSyntax::hydra, .program = "mpiexec.hydra"};
  EXPECT_EQ(launcher_command(hydras, 2, 1), "mpiexec.hydra -n 2 -bind-to none");
  EXPECT_EQ(launcher_command(hydras, 2, 3), "mpiexec.hydra -n 6 -ppn 2 -bind-to none");
  EXPECT_EQ(launcher_command(hydras, 1, 1), "");
  const Launcher mpirun;
  EXPECT_EQ(launcher_command(mpirun, 2, 1), "mpirun -n 2 --bind-to none --use-hwthread-cpus");
  const Launcher srun{.syntax = LauncherSyntax::srun,
                      .program = "srun",
                      .pmi = "pmi2",
                      .options = {"--overlap", "--nodelist=n1"}};
  EXPECT_EQ(launcher_command(srun, 2, 1),
            "srun --nodes=1 --ntasks=2 --ntasks-per-node=2 --cpus-per-task=2 --cpu-bind=none "
            "--kill-on-bad-exit=1 --mpi=pmi2 --overlap --nodelist=n1");
}

}  // namespace
}  // namespace spex::bench
