// Breaks a GPU's context on purpose.
#pragma once

namespace spex::gpu::test {

/// Ends a kernel on the current device by a trap. All later calls on the device in this process
/// fail.
void break_context();

}  // namespace spex::gpu::test
