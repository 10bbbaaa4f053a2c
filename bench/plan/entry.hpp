// What is run: the frames of a case, and one way to run them (docs/benchmark.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/plan/members.hpp"
#include "reference/model/options.hpp"

namespace spex::bench {

/// Simulated frames (spex-sim's options). Their fluxes are on the extraction's grid.
struct Case {
  std::string name;
  std::vector<std::string> cameras;  ///< those of a spectrograph together: b0, r0, z0, b1, ...
  std::string size = "full";
  int seed = 1;
  /// How many exposures there are, of seeds from `seed` on, which runs take in turn. Where absent,
  /// one in the tier ci, else one for each run. In the tier night: those that a run takes in turn,
  /// 4 where absent.
  std::optional<int> seeds;
  std::string compress = "none";

  /// Bundles of 25 fibers that its frames have.
  [[nodiscard]] int bundles() const { return size == "full" ? 20 : 1; }
  /// Of a long run (tier night).
  [[nodiscard]] int exposures_in_turn() const { return seeds.value_or(4); }
};

/// Which point of which sweep an entry is.
struct Scaling {
  std::string sweep;
  std::string kind;
  nlohmann::ordered_json x;  ///< a number or a word
};

/// A run of exposures one after another without a pause: either for a time, or of so many frames.
struct Sustain {
  std::optional<double> seconds;
  std::optional<int> frames;
  SPEX_MEMBERS(seconds, frames)
};

/// Until when timed runs are made, beyond the entry's number of repeats.
struct Stopping {
  double width = 0;  ///< of the interval of the median, of both clocks, as a part of the median
  int most = 0;      ///< timed runs
  SPEX_MEMBERS(width, most)
};

/// Rates that the roofline is drawn against, of one GPU.
struct Ceilings {
  double flops = 0;  ///< FP64, per second
  double bytes = 0;  ///< of memory, per second
  std::string source;
  SPEX_MEMBERS(flops, bytes, source)
};

/// How the frames that others are held to are made, outside the clock.
struct Reference {
  std::string method = "cholesky";
  /// Of which cameras; all where it is empty, as it must be outside the tier ci.
  std::vector<std::string> cameras;

  [[nodiscard]] bool has(const std::string& camera) const;
};

/// One way to run a case: what becomes one result file.
struct Entry {
  std::string id;
  std::string sweep_id;  ///< the id that its sweep has in the plan; empty without one
  std::string group;  ///< of a plan that is run in parts: by what --only also chooses; may be empty
  std::string case_name;
  Milestone milestone = Milestone::pipeline;
  /// Of a run: the case's first; all where absent. More than the case has are whole exposures,
  /// those of `seeds` in turn.
  std::optional<int> frames;
  /// The case's first frame, and no other, as a user has one extracted: its files are on the
  /// command line (-i, -p, -o), where other runs have a list of theirs.
  bool alone = false;
  std::optional<int> scale_to;  ///< frames of an exposure that they stand for
  int gpus = 0;                 ///< of a node; 0: the CPU's milestones
  int ranks_per_gpu = 1;
  std::optional<int> nodes;  ///< the command line's where absent
  /// Of a node. Where absent, one a CPU; on GPUs `gpus` times `ranks_per_gpu`.
  std::optional<int> ranks;
  std::optional<int> threads;
  bool mps = false;
  std::string binding = "none";
  std::string compress = "none";         ///< of the frames that are written
  std::vector<std::string> options;      ///< extractor's options that change what is computed
  std::vector<std::string> run_options;  ///< extractor's options that do not
  std::optional<int> bundles;            ///< of a frame; all where absent
  std::optional<Scaling> scaling;
  std::optional<Sustain> sustain;       ///< in the tier night
  std::optional<int> warmups, repeats;  ///< the plan's where absent
  std::optional<Stopping> until;        ///< the plan's where absent
  std::string tolerance;                ///< of spex-compare; the plan's where absent
  /// `options` as the extractors understand them; no word of the plan.
  ExtractOptions extract;

  [[nodiscard]] bool on_gpu() const { return gpus > 0; }
  /// How the names of its frames end.
  [[nodiscard]] std::string suffix() const { return compress == "gz" ? ".fits.gz" : ".fits"; }
  /// What its frames and run logs name as their program.
  [[nodiscard]] std::string program() const { return on_gpu() ? "spex-gpu" : "spex-cpu"; }
  [[nodiscard]] std::string method() const { return to_string(extract.method); }
  /// On GPUs; less than 1 where a rank has several.
  [[nodiscard]] double ranks_of_gpu() const {
    return ranks ? static_cast<double>(*ranks) / gpus : ranks_per_gpu;
  }
  /// Options that decide the values of the output; entries with the same ones must agree.
  [[nodiscard]] std::vector<std::string> result_options() const;
  /// The same without the method, which is the reference's own.
  [[nodiscard]] std::vector<std::string> reference_options() const;
};

/// Whether its speed is FPNH: frames come out with all fibers and wavelengths of a camera, and are
/// not extracted alone, which is a matter of seconds.
[[nodiscard]] bool has_fpnh(const Entry& entry, const Case& one);

}  // namespace spex::bench
