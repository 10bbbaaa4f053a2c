// What a run of spex-bench measures: a plan file (JSON, comments allowed; docs/benchmark.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "reference/model/options.hpp"

namespace spex::bench {

/// Simulated frames (spex-sim's options). Their fluxes are on the extraction's grid.
struct Case {
  std::string name;
  std::string cameras = "all";
  std::string size = "full";
  int seed = 1;
  std::string compress = "none";

  /// The cameras, those of a spectrograph together: b0, r0, z0, b1, ...
  [[nodiscard]] std::vector<std::string> camera_list() const;
};

/// Which point of which sweep an entry is.
struct Scaling {
  std::string sweep;
  std::string kind;
  nlohmann::ordered_json x;  ///< a number or a word
};

/// One way to run a case: what becomes one result file.
struct Entry {
  std::string id;
  std::string case_name;
  Milestone milestone = Milestone::pipeline;
  std::optional<int> frames;    ///< the case's first; all where absent
  std::optional<int> scale_to;  ///< frames of an exposure that they stand for
  int gpus = 0;                 ///< of a node; 0: the CPU's milestones
  int ranks_per_gpu = 1;
  /// Of a node. Where absent, one a CPU; on GPUs `gpus` times `ranks_per_gpu`.
  std::optional<int> ranks;
  std::optional<int> threads;
  bool mps = false;
  std::string binding = "none";
  std::vector<std::string> options;      ///< extractor's options that change what is computed
  std::vector<std::string> run_options;  ///< extractor's options that do not
  std::optional<int> bundles;            ///< of a frame; all where absent
  std::optional<Scaling> scaling;
  std::optional<int> warmups, repeats;  ///< the plan's where absent
  std::string tolerance;                ///< of spex-compare; the plan's where absent

  [[nodiscard]] bool on_gpu() const { return gpus > 0; }
  /// On GPUs; less than 1 where a rank has several.
  [[nodiscard]] double ranks_of_gpu() const {
    return ranks ? static_cast<double>(*ranks) / gpus : ranks_per_gpu;
  }
  /// Options that decide the values of the output; entries with the same ones must agree.
  [[nodiscard]] std::vector<std::string> result_options() const;
};

/// Frames that the CPU extractor makes, outside the clock, for others to be held to.
struct Reference {
  std::string method = "cholesky";
  std::vector<std::string> cameras;
};

/// Rates that the roofline is drawn against, of one GPU or one core.
struct Ceilings {
  double flops = 0;  ///< FP64, per second
  double bytes = 0;  ///< of memory, per second
  std::string source;
};

struct Plan {
  std::string name;
  std::string description;
  std::string tier = "ci";
  std::string division = "ported";
  int warmups = 1;
  int repeats = 5;
  std::string tolerance = "production";  ///< of spex-compare
  double time_limit_s = 1800;            ///< of one run; it is ended then, and has failed
  std::map<std::string, Case> cases;
  std::optional<Reference> reference;
  std::vector<std::string> goldens;  ///< cases of golden/cases.json that every milestone must pass
  std::optional<Ceilings> gpu_ceilings, cpu_ceilings;
  std::vector<Entry> entries;  ///< sweeps are resolved
  std::string text;            ///< the file as it is
};

/// Throws Error(usage) where the file is no plan: unknown keys, missing ones, wrong values.
[[nodiscard]] Plan read_plan(const std::string& path);

}  // namespace spex::bench
