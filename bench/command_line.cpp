#include "bench/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex::bench {

namespace fs = std::filesystem;

CLI::Option* add_launcher(CLI::App& app, std::string& launcher) {
  return app
      .add_option(
          "--launcher", launcher,
          "mpirun, mpiexec, srun, or auto: srun inside a Slurm job that can start this MPI, "
          "otherwise the MPI's own launcher")
      ->check(CLI::IsMember({"auto", "mpirun", "mpiexec", "srun"}))
      ->capture_default_str();
}

CLI::Option* add_self_test(CLI::App& app) {
  const std::string what =
      "Test this installation with the golden cases and the plan ci (see --self-test --help)";
  return app.add_flag("--self-test", what);
}

Launcher launcher_of(const std::string& asked, const std::string& options) {
  Launcher launcher = choose_launcher(asked, LauncherSurroundings::here());
  std::istringstream words(options);
  launcher.options = {std::istream_iterator<std::string>(words), {}};
  return launcher;
}

// The name stands in tables, figures and thresholds.
void check_system(const std::string& name) {
  constexpr std::size_t longest = 100;
  const bool plain = name.size() <= longest && std::all_of(name.begin(), name.end(), [](char c) {
                       return c >= ' ' && c <= '~';
                     });
  if (!plain)
    throw usage_error("--system", "cannot be a name in a table",
                      fmt::format("one line of ASCII, at most {} characters", longest));
}

void fill_folders(CampaignSettings& settings) {
  if (settings.data.empty()) settings.data = fs::path(settings.out) / "data";
  if (settings.references.empty()) settings.references = fs::path(settings.out) / "references";
}

}  // namespace spex::bench
