// Options that several commands of spex-bench share.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "bench/campaign/campaign.hpp"

namespace spex::bench {

/// Adds --launcher.
CLI::Option* add_launcher(CLI::App& app, std::string& launcher);

/// Adds --self-test.
CLI::Option* add_self_test(CLI::App& app);

/// The launcher that --launcher and --launcher-options ask for.
[[nodiscard]] Launcher launcher_of(const std::string& asked, const std::string& options);

/// Throws Error(usage) where a name of --system does not fit into a table.
void check_system(const std::string& name);

/// Folders of data and references that were not named lie in `out`.
void fill_folders(CampaignSettings& settings);

}  // namespace spex::bench
