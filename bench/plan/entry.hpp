// Cases (simulated frames) and entries (ways to extract them) of a plan (docs/benchmark.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/plan/run_rules.hpp"
#include "reference/model/choices.hpp"

namespace spex {
struct FrameOptions;
}

namespace spex::bench {

/// Simulated frames, by spex-sim's options. Their true fluxes are on the extraction's grid.
struct Case {
  std::string name;
  /// all cameras of a spectrograph are adjacent: b0, r0, z0, b1, ...
  std::vector<std::string> cameras;
  std::string size = "full";
  int seed = 1;
  /// Number of distinct exposures, with seeds from `seed` on, that the runs use in turn. Default: 1
  /// in the tier ci, otherwise one per run. In the tier night: the exposures within a run, default
  /// 4.
  std::optional<int> seeds;
  std::string compress = "none";

  /// Number of bundles of 25 fibers in its frames.
  [[nodiscard]] int bundles() const { return size == "full" ? 20 : 1; }
  /// Number of distinct exposures of a long run (tier night).
  [[nodiscard]] int distinct_exposures() const { return seeds.value_or(4); }
};

/// The point of a sweep that an entry is.
struct Scaling {
  std::string sweep;
  std::string kind;
  nlohmann::ordered_json x;  ///< a number or a word
};

/// How the reference frames are computed (not timed).
struct Reference {
  std::string method = "cholesky";
  /// Cameras with a reference; empty: all, as is required outside the tier ci.
  std::vector<std::string> cameras;
  /// Cameras whose reference of an entry's first run is by eigh, the definition, instead of
  /// `method`.
  std::vector<std::string> by_eigh;

  [[nodiscard]] bool has(const std::string& camera) const;
  /// The method of a camera's reference in run `run`, counted from 0.
  [[nodiscard]] std::string method_of(const std::string& camera, int run) const;
};

/// The options of an extraction without options.
[[nodiscard]] std::shared_ptr<const FrameOptions> default_options();

/// A way to run a case; each entry has a result file.
struct Entry {
  std::string id;
  std::string sweep_id;  ///< id of its sweep in the plan; empty without a sweep
  std::string group;     ///< part of the plan that --only can choose; may be empty
  std::string case_name;
  Milestone milestone{};
  /// Frames of a run, the first ones of the case; default: all. More than the case has are whole
  /// exposures, those of `seeds` in turn.
  std::optional<int> frames;
  /// Extracts only the case's first frame, with its files on the command line (-i, -p, -o), as a
  /// user does. Other runs have a list of files.
  bool alone = false;
  std::optional<int> scale_to;  ///< frames of an exposure that the run stands for
  int gpus = 0;                 ///< per node; 0: a CPU milestone
  int first_gpu = 0;            ///< of the GPUs that are visible, counted from 0
  int ranks_per_gpu = 1;
  std::optional<int> nodes;  ///< default: the command line's
  /// Per node. Default: one per CPU; on GPUs `gpus` times `ranks_per_gpu`.
  std::optional<int> ranks;
  std::optional<int> threads;
  bool mps = false;
  std::string binding = "none";
  std::string compress = "none";         ///< of the output frames
  std::vector<std::string> options;      ///< extractor's options that change output values
  std::vector<std::string> run_options;  ///< extractor's options that do not
  std::optional<int> bundles;            ///< per frame; default: all
  std::optional<Scaling> scaling;
  std::optional<Sustain> sustain;       ///< in the tiers night and acceptance
  std::optional<int> warmups, repeats;  ///< default: the plan's
  std::optional<Stopping> until;        ///< default: the plan's
  std::string tolerance;                ///< of spex-compare; default: the plan's
  /// `options` as the extractors parse them; not in the plan file.
  std::shared_ptr<const FrameOptions> extract = default_options();

  [[nodiscard]] bool on_gpu() const { return gpus > 0; }
  /// The number of visible GPUs that a node needs for it.
  [[nodiscard]] int last_gpu() const { return on_gpu() ? first_gpu + gpus : 0; }
  /// The ending of its frames' names.
  [[nodiscard]] std::string suffix() const { return compress == "gz" ? ".fits.gz" : ".fits"; }
  /// The program name in its frames and run logs.
  [[nodiscard]] std::string program() const { return on_gpu() ? "spex-gpu" : "spex-cpu"; }
  [[nodiscard]] std::string method() const;
  /// Ranks per GPU; less than 1 if a rank uses several GPUs.
  [[nodiscard]] double ranks_of_gpu() const {
    return ranks ? static_cast<double>(*ranks) / gpus : ranks_per_gpu;
  }
  /// Options that determine the output values; entries with the same options must agree.
  [[nodiscard]] std::vector<std::string> result_options() const;
  /// The same without --method.
  [[nodiscard]] std::vector<std::string> options_but_method() const;
  /// Options of the reference, which has its own method. They name the number of subbundles if the
  /// milestone's default is not the reference's.
  [[nodiscard]] std::vector<std::string> reference_options() const;
};

/// Whether its speed is reported in FPNH: the frames have all fibers and wavelengths, and the entry
/// is not `alone`, where the time of one frame counts.
[[nodiscard]] bool has_fpnh(const Entry& entry, const Case& plan_case);

}  // namespace spex::bench
