// The commands of spex-bench that work on archives, and what its commands share.
#pragma once

namespace spex::bench {

/// The status of a program whose words have reached stdout. Throws Error(data) where they have not.
[[nodiscard]] int flushed(int status);

/// Throws Error(data) where the working folder is gone: relative paths are of it, and launchers ask
/// for it.
void check_working_folder();

/// `spex-bench submit`, `check` and `rerun`; argv[0] is the command. The exit status.
[[nodiscard]] int submit(int argc, char** argv);
[[nodiscard]] int check(int argc, char** argv);
[[nodiscard]] int rerun(int argc, char** argv);

}  // namespace spex::bench
