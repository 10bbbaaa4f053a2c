// The commands of spex-bench, and what they share.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "bench/campaign/campaign.hpp"

namespace spex::bench {

/// `spex-bench submit`, `check`, `rerun`, `accept` and `spex-bench --self-test`; argv[0] is the
/// command. The exit status.
[[nodiscard]] int submit(int argc, char** argv);
[[nodiscard]] int check(int argc, char** argv);
[[nodiscard]] int rerun(int argc, char** argv);
[[nodiscard]] int accept(int argc, char** argv);
[[nodiscard]] int self_test(int argc, char** argv);

void add_launcher(CLI::App& app, std::string& launcher);
CLI::Option* add_self_test(CLI::App& app);
void add_loglevel(CLI::App& app, std::string& level);
void add_system(CLI::App& app, std::string& system);

/// The launcher that --launcher and --launcher-options ask for.
[[nodiscard]] Launcher launcher_of(const std::string& asked, const std::string& options);

/// The status of a program whose words have reached stdout. Throws Error(data) where they have not.
[[nodiscard]] int flushed(int status);

/// The same for a campaign. The hint how to resume comes after the table.
[[nodiscard]] int ended_campaign(int status);

}  // namespace spex::bench
