// The frames that others are held to, by case and by the options that decide their values.
#pragma once

#include <string>

#include "bench/correctness/dataset.hpp"
#include "bench/correctness/validation.hpp"

namespace spex::bench {

/// Frames that the CPU extractor makes, outside the clock, for others to be held to.
struct Reference {
  std::string method = "cholesky";
  std::vector<std::string> cameras;
};

class ExpectedStore {
 public:
  /// In `folder`, emptied: another build's frames are no truth for this one.
  explicit ExpectedStore(std::string folder);

  /// Those known for the entry's frames. The CPU extractor makes those of `reference` first, where
  /// it has not. Throws Error(data) where that fails.
  [[nodiscard]] const ExpectedFrames& of(const Entry& entry, const Dataset& dataset, int frames,
                                         const std::optional<Reference>& reference,
                                         const Programs& programs, Signals& signals);

  /// Takes the outputs of an entry that passed for the cameras that nothing is known of yet.
  void adopt(const Entry& entry, const Validation& validation, const std::string& outputs);

 private:
  struct Known {
    std::string folder;
    ExpectedFrames frames;
    bool reference_made = false;
  };
  Known& known(const Entry& entry);

  std::string folder_;
  std::map<std::string, Known> known_;  // by case and options
};

}  // namespace spex::bench
