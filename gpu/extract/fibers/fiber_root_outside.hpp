// The term of E in the roots, and its scratch memory (extraction.md, 5.1); a part of the stage of
// reference/extract/fiber_root.hpp.
#pragma once

#include "gpu/extract/fibers/fiber_root.hpp"

namespace spex::gpu {

/// Adds the term of E to the spectra that wait for it, and stores them as find_fiber_roots does.
void add_terms_of_E(const FiberRoots& batch, const WaitingSpectra& waiting, double* scratch,
                    cudaStream_t stream);

/// Size of the scratch memory of add_terms_of_E in doubles.
[[nodiscard]] std::size_t outside_scratch(const FiberLayout& layout);

}  // namespace spex::gpu
