#include "gpu/extract/guarded_patches.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "gpu/extract/batch/limits.hpp"
#include "reference/extract/extract_inputs.hpp"

namespace spex::gpu {
namespace {

// Spots of this number of fibers, and bands of this number of patches, need less memory than those
// of a batch of the fiber engine.
constexpr int fibers_of_batch = 98;
constexpr int patches_of_batch = 420;

}  // namespace

void GuardedPatches::begin(Job job) {
  job_ = std::move(job);
  noted_begin_ = noted_end_ = 0;
  index_.clear();
  events_.clear();
  concurrent_.clear();
  // A frame that failed may have left work, which uses memory that is replaced here or loaded anew.
  noted_.wait();
  context_.synchronize();
  reserve(noted_status_, job_.patches->size());
  reserve(statuses_, job_.patches->size());
}

void GuardedPatches::note(int first, int last, cudaStream_t stream) {
  noted_begin_ = first;
  noted_end_ = last;
  SPEX_GPU_CHECK(cudaMemcpyAsync(noted_status_.get(), job_.frame->status() + first,
                                 (last - first) * sizeof(int), cudaMemcpyDeviceToHost, stream));
  noted_.record(stream);
}

void GuardedPatches::solve_noted() {
  noted_.hold(context_.stream());
  wait_for(context_.stream());
  std::vector<int> refused;
  for (int k = noted_begin_; k < noted_end_; ++k)
    if (noted_status_.get()[k - noted_begin_] == guarded) refused.push_back(k);
  noted_begin_ = noted_end_ = 0;
  solve(refused, false, concurrent_,
        [](const std::vector<int>&, const std::function<void()>& work) { work(); });
}

void GuardedPatches::solve_others(const std::vector<int>& refused, bool by_bundle,
                                  cudaStream_t stream, const Around& around) {
  std::vector<int> solved = index_, others;
  std::ranges::sort(solved);
  std::ranges::set_difference(refused, solved, std::back_inserter(others));
  solve(others, by_bundle, events_,
        [&](const std::vector<int>& patches, const std::function<void()>& work) {
          around(patches, [&] {
            ready_.record(stream);
            ready_.hold(context_.stream());
            work();
            solved_.hold(stream);
          });
        });
}

std::vector<int>::const_iterator GuardedPatches::end_of_batch(
    const std::vector<int>& patches, std::vector<int>::const_iterator first, bool by_bundle) const {
  const auto& all = *job_.patches;
  std::set<int> fibers;
  auto last = first;
  for (; last != patches.end() && last - first < patches_of_batch; ++last) {
    const Patch& patch = all[*last];
    if (by_bundle && patch.bundle != all[*first].bundle) break;
    for (int s = 0; s < patch.padded_nspec(); ++s) fibers.insert(patch.padded_spec_first() + s);
    if (last != first && static_cast<int>(fibers.size()) > fibers_of_batch) break;
  }
  return last;
}

void GuardedPatches::solve(const std::vector<int>& patches, bool by_bundle, StageEvents& events,
                           const Around& around) {
  const cudaStream_t stream = context_.stream();
  for (auto first = patches.cbegin(); first != patches.cend();) {
    const auto last = end_of_batch(patches, first, by_bundle);
    around({first, last}, [&] {
      PatchSelection selection;
      events.time(Stage::spots, [&] { selection = job_.frame->select({first, last}, stream); });
      std::vector<PatchFlux> flux;
      for (const int k : selection.index) {
        const Patch& patch = (*job_.patches)[k];
        if (job_.flux) flux.push_back({&patch, &job_.flux(patch.bundle, stream)});
      }
      int* const statuses = statuses_.get() + index_.size();
      index_.insert(index_.end(), first, last);
      const std::size_t bytes = selection.index.size() * sizeof(int);
      const int* const from = selection.status;
      band_.extract(make_batch(*job_.frame, selection), *job_.inputs, events, job_.models, flux);
      SPEX_GPU_CHECK(cudaMemcpyAsync(statuses, from, bytes, cudaMemcpyDeviceToHost, stream));
      solved_.record(stream);
    });
    first = last;
  }
}

std::vector<int> GuardedPatches::finish(std::vector<int>& status) {
  wait_for(context_.stream());
  for (std::size_t k = 0; k < index_.size(); ++k) status[index_[k]] = statuses_.get()[k];
  return index_;
}

}  // namespace spex::gpu
