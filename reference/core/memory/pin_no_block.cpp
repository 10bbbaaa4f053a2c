// Builds with sanitizers have their own operator new, and keep no blocks that could be pinned.
#include "reference/core/memory/pin_large_block.hpp"

namespace spex {

bool pin_large_block(const void* /*memory*/, const std::shared_ptr<Pinner>& /*pinner*/,
                     PinBlocks /*which*/) {
  return false;
}

}  // namespace spex
