// The commands of spex-bench, and the options that they share.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "bench/campaign/campaign.hpp"

namespace spex::bench {

/// `spex-bench submit`, `check`, `rerun`, `accept`, `schema` and `spex-bench --self-test`; argv[0]
/// is the command. They return the exit status.
[[nodiscard]] int submit(int argc, char** argv);
[[nodiscard]] int check(int argc, char** argv);
[[nodiscard]] int rerun(int argc, char** argv);
[[nodiscard]] int accept(int argc, char** argv);
[[nodiscard]] int schema(int argc, char** argv);
[[nodiscard]] int self_test(int argc, char** argv);

void add_launcher(CLI::App& app, std::string& launcher);
CLI::Option* add_self_test(CLI::App& app);
void add_loglevel(CLI::App& app, std::string& level);
void add_system(CLI::App& app, std::string& system);

/// The launcher of --launcher `name` and --launcher-options `options`.
[[nodiscard]] Launcher launcher_of(const std::string& name, const std::string& options);

/// Flushes stdout and returns `status`. Throws Error(data) if the output cannot be written.
[[nodiscard]] int flushed(int status);

/// The same for a campaign. If it was interrupted, the hint about --resume follows the table.
[[nodiscard]] int ended_campaign(int status);

}  // namespace spex::bench
