// A GPU's context broken on purpose.
#pragma once

namespace spex::gpu::test {

/// Ends a kernel on the current device by a trap, as a fault in it would: whatever is asked of the
/// device in this process from then on fails.
void break_context();

}  // namespace spex::gpu::test
