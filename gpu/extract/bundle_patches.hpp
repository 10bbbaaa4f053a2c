// The patches of whole bundles, and runs of consecutive patches of one bundle.
#pragma once

#include <vector>

#include "reference/extract/extract_patches.hpp"
#include "reference/layout/patches.hpp"

namespace spex::gpu {

[[nodiscard]] inline bool same_bundle(const Patch& a, const Patch& b) {
  return a.bundle == b.bundle;
}
[[nodiscard]] inline bool same_subbundle(const Patch& a, const Patch& b) {
  return a.bundle == b.bundle && a.subbundle == b.subbundle;
}

/// The end of the run of consecutive patches from `first` for which `same` holds.
template <class Same>
[[nodiscard]] int end_of_run(const std::vector<Patch>& patches, int first, const Same& same) {
  int last = first;
  while (last < static_cast<int>(patches.size()) && same(patches[first], patches[last])) ++last;
  return last;
}

/// All patches of the bundles that contain the given patches.
[[nodiscard]] std::vector<Patch> patches_of_bundles(const ExtractInputs& inputs,
                                                    const std::vector<Patch>& patches);

/// Checks that whole bundles can be solved, for `--flux frame` or `--reject-pixels`; `by_fibers`:
/// the fiber engine extracts the frame. Throws Error(usage) if not.
void check_bundles(const ExtractInputs& inputs, const std::vector<Patch>& patches, bool by_fibers);

}  // namespace spex::gpu
