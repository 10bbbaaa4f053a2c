#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/measure/launcher_settings.hpp"
#include "reference/tests/support/scratch.hpp"

namespace spex::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// What mpirun would read there changes a run as a variable does.
TEST(LauncherSettings, AreThoseOfFilesInTheHomeFolder) {
  const test::ScratchFolder home;
  EXPECT_THAT(settings_of_open_mpi(home.file("")), IsEmpty());
  for (const char* folder : {".openmpi", ".prte"})
    std::filesystem::create_directory(home.file(folder));
  std::ofstream(home.file(".openmpi/mca-params.conf"))
      << "# ours\n\n btl = self,vader \r\nbtl=self # alone\nmca_base_env_list = A=1;B\n"
         "-mca orte_fork_agent /x\n-x A=B\n";
  std::ofstream(home.file(".prte/mca-params.conf")) << "plm_ssh_agent = /tmp/agent\n";
  EXPECT_THAT(settings_of_open_mpi(home.file("")),
              ElementsAre(Pair("OMPI_MCA_-mca orte_fork_agent /x", ""), Pair("OMPI_MCA_-x A=B", ""),
                          Pair("OMPI_MCA_btl", "self"), Pair("OMPI_MCA_mca_base_env_list", "A=1;B"),
                          Pair("PRTE_MCA_plm_ssh_agent", "/tmp/agent")));
  std::filesystem::create_directory(home.file(".openmpi/components"));
  EXPECT_EQ(settings_of_open_mpi(home.file("")).count("OMPI_MCA_mca_component_path"), 0);
  std::ofstream(home.file(".openmpi/components/mca_btl_ours.so")) << "";
  EXPECT_EQ(settings_of_open_mpi(home.file("")).count("OMPI_MCA_mca_component_path"), 1);
}

}  // namespace
}  // namespace spex::bench
