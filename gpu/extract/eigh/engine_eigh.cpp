#include "gpu/extract/eigh/engine_eigh.hpp"

#include <algorithm>

#include "gpu/extract/batch/limits.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

// Limit of A, W A and N of a batch; a rank then needs less than 8 GB, so that five ranks fit in 40
// GB.
constexpr std::size_t max_batch_bytes = std::size_t{3} << 30;

// Number of patches that are decomposed together.
int batch_size(const PatchBatch& patches, const EighRoutines& routines) {
  if (!routines.batch_patches()) return 1;
  const std::size_t bytes =
      count_of(patches.n, 2LL * patches.npixel + 5LL * patches.n, sizeof(double));
  return static_cast<int>(
      std::clamp<std::size_t>(max_batch_bytes / bytes, 1, max_patches_of_launch));
}

}  // namespace

void EighEngine::extract(const PatchBatch& patches, const ExtractInputs& inputs,
                         const EighRoutines& routines, double condition_bound, StageEvents& events,
                         std::vector<std::vector<double>>* models) {
  const int most = batch_size(patches, routines);
  const int last = patches.index.back() + 1;
  for (int k = patches.index.front(); k < last; k += most) {
    workspace_.begin(make_batch(*patches.frame, k, std::min(k + most, last), patches.spots),
                     routines, inputs, condition_bound);
    events.time(Stage::assemble, [&] { workspace_.assemble(); });
    events.time(Stage::solve, [&] { workspace_.solve(); });
    events.time(Stage::decorrelate, [&] { workspace_.decorrelate(); });
    events.time(Stage::quality, [&] { workspace_.quality(); });
    if (models != nullptr) workspace_.download_models(*models);
  }
}

}  // namespace spex::gpu
