// Pins large memory of the programs' operator new.
#pragma once

#include <memory>

#include "reference/core/memory/large_blocks.hpp"

namespace spex {

/// Pins the large memory that begins at `memory`, as LargeBlocks::pin does. Returns false if it is
/// not large (huge_page_new.cpp), and in builds with sanitizers, which keep no blocks.
bool pin_large_block(const void* memory, const std::shared_ptr<Pinner>& pinner,
                     PinBlocks which = PinBlocks::reused);

}  // namespace spex
