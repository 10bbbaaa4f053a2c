// The commands of spex-bench that say whether a machine or an installation works.
#pragma once

namespace spex::bench {

/// `spex-bench accept` and `spex-bench --self-test`. The exit status.
[[nodiscard]] int accept(int argc, char** argv);
[[nodiscard]] int self_test(int argc, char** argv);

}  // namespace spex::bench
