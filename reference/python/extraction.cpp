#include "reference/python/extraction.hpp"

#include <stdexcept>
#include <utility>

#include "reference/extract/extract_inputs.hpp"
#include "reference/model/message.hpp"
#include "reference/model/milestones.hpp"

namespace spex::python {
namespace {

// The first patch of a rank. Ranks take consecutive patches, or whole bundles if the milestone
// assigns or solves whole bundles.
std::size_t first_of_rank(const std::vector<Patch>& patches, const ExtractOptions& options,
                          int rank, int ranks) {
  std::size_t first = patches.size() * static_cast<std::size_t>(rank) / ranks;
  if (traits(options.milestone).unit == WorkUnit::bundle || options.flux == FluxSolver::frame ||
      options.reject_pixels)
    while (first > 0 && first < patches.size() &&
           patches[first].bundle == patches[first - 1].bundle)
      ++first;
  return first;
}

}  // namespace

std::string to_message(const Share& share) {
  std::string message;
  message::put(message, share.patch);
  for (const PatchResult& result : share.results) message::put(message, result);
  return message;
}

Share from_message(std::string_view message) {
  Share share;
  message::take(message, share.patch);
  share.results.resize(share.patch.size());
  for (PatchResult& result : share.results) message::take(message, result);
  if (!message.empty()) throw std::logic_error("a share has extra bytes");
  return share;
}

Extraction::Extraction(FrameJob job, Psf psf, Preproc preproc)
    : job_(std::move(job)), inputs_(make_frame_inputs(job_, std::move(psf), std::move(preproc))) {
  if (!job_.files.output.empty()) check_output(job_.files.output);
  if (job_.files.model) check_output(*job_.files.model);
  if (job_.files.rejected) check_output(*job_.files.rejected);
}

Share Extraction::extract(const PatchExtractor& extractor, int rank, int ranks,
                          const std::function<void(long)>& done) const {
  const std::size_t first = first_of_rank(patches(), options(), rank, ranks);
  const std::size_t last = first_of_rank(patches(), options(), rank + 1, ranks);
  Share share;
  for (std::size_t p = first; p < last; ++p) share.patch.push_back(static_cast<int>(p));
  if (share.patch.empty()) return share;
  StageTimes times;
  share.results = extractor(inputs_.view(options()),
                            {patches().begin() + first, patches().begin() + last}, times, done)
                      .patches;
  return share;
}

std::vector<PatchResult> Extraction::put_together(std::vector<Share> shares) const {
  std::vector<PatchResult> results(patches().size());
  std::size_t placed = 0;
  for (Share& share : shares)
    for (std::size_t i = 0; i < share.patch.size(); ++i, ++placed)
      results.at(share.patch[i]) = std::move(share.results[i]);
  if (placed != results.size())
    throw std::logic_error("results of " + std::to_string(placed) + " patches of " +
                           std::to_string(results.size()));
  return results;
}

Frame Extraction::assemble(const std::vector<PatchResult>& results) const {
  return frame_of(inputs_, options(), results);
}

Header Extraction::header(const PatchCounts& counts) const {
  return header_of(job_, inputs_, counts);
}

void Extraction::write(const std::vector<PatchResult>& results) const {
  write_frame_outputs(job_, inputs_, assemble(results), results);
}

}  // namespace spex::python
