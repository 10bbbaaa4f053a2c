#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "bench/commands.hpp"
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

CLI::Option* add_loglevel(CLI::App& app, std::string& level) {
  return app.add_option("--loglevel", level, "debug, info, warn or error")->capture_default_str();
}

// The name stands in tables, figures and thresholds.
CLI::Option* add_system(CLI::App& app, std::string& system) {
  const auto wrong = [](const std::string& name) -> std::string {
    const bool plain = name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
                         return c >= ' ' && c <= '~';
                       });
    return plain ? "" : "cannot be a name in a table (expected a line of at most 100 characters)";
  };
  return app
      .add_option("--system", system, "The machine's name in the results; default: the host's name")
      ->check(wrong);
}

void fill_folders(CampaignSettings& settings) {
  if (settings.data.empty()) settings.data = fs::path(settings.out) / "data";
  if (settings.references.empty()) settings.references = fs::path(settings.out) / "references";
}

int flushed(int status) {
  if (std::fflush(stdout) != 0)
    throw data_error("stdout", std::strerror(errno), "room for the table");
  return status;
}

}  // namespace spex::bench
