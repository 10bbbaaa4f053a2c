// The facts about an entry of a plan, as plain data. derive() computes all that follows from them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/plan/members.hpp"
#include "bench/plan/plan_words.hpp"
#include "bench/plan/run_rules.hpp"
#include "bench/result/steady_state.hpp"
#include "bench/result/system_record.hpp"
#include "bench/result/thresholds.hpp"

namespace spex::bench {

/// Seconds of a stage, summed over the threads of a rank; statistics over ranks, of which results
/// in reports/results have only the sum.
struct StageSeconds {
  std::optional<double> min, median, max;
  double sum = 0;
  SPEX_ROWS((min, added_later), (median, added_later), (max, added_later), (sum))
};

/// A long run: a pass over distinct inputs, whose speed counts, then the same inputs again.
struct LongRun {
  int frames = 0, inputs = 0;
  std::optional<LongPart> distinct, soak;
  int max_waiting = 0;
  SPEX_ROWS((frames, "per run"), (inputs, "distinct inputs, those of the first frames"),
            (distinct, "of the distinct inputs; null if there are too few frames"),
            (soak, "of all frames"),
            (max_waiting, "largest number of frames written and not yet inspected"))
};

struct Sample {
  int index = 0;
  bool warmup = false;
  std::int64_t seed = 0;
  std::string inputs_sha256, outputs_sha256;
  bool compared = false;
  std::string start_utc;
  int exit_status = 0;
  std::optional<std::string> failure;
  std::vector<std::string> warnings;
  double effective_s = 0;
  std::optional<double> extraction_s, launch_s, logged_s;
  bool throttled = false;
  std::optional<std::string> disturbed;
  std::map<std::string, StageSeconds> phases;
  std::optional<std::vector<double>> joules, gpu_busy, gpu_busy_before;
  std::optional<double> cpu_s, other_cpu_s, node_joules, max_rss_bytes, device_memory_bytes;
  std::int64_t patches = 0, fell_back = 0, failed_patches = 0;
  std::optional<LongRun> sustained;
  SPEX_ROWS(
      (index, Minimum{0}), (warmup), (seed, "of its inputs, as given to spex-sim"),
      (inputs_sha256, "hash of the hashes of its images and PSFs"),
      (outputs_sha256, "hash of the hashes of its frames when it ended; empty if it failed"),
      (compared, "its frames were compared"), (start_utc, utc_form), (exit_status), (failure),
      (warnings, "unusual observations that are not faults of the frames"),
      (effective_s, "from before the launcher starts to the exit of the last process"),
      (extraction_s,
       "from the first input opened, or the first GPU use, to the last output closed, observed "
       "from outside; null if this node does not see all files"),
      (launch_s, "from before the launcher starts to the start of extraction"),
      (logged_s, "extraction time by the run log"),
      (throttled,
       "a GPU or CPU was throttled by its temperature or the hardware: the sample does not count"),
      (disturbed, "what disturbed it: the sample does not count (see quiet)", added_later),
      (phases,
       "seconds by stage, by the run log, summed over the threads of a rank: statistics over "
       "ranks, and the sum; results in reports/results have only the sum; empty if the log is "
       "inconsistent"),
      (joules, "by GPU"), (gpu_busy, "by GPU: fraction of the time with a kernel"),
      (gpu_busy_before, "the same before the launch"),
      (cpu_s,
       "CPU seconds of the run on this node; under srun only if the job has a control group"),
      (other_cpu_s, "CPU seconds of other processes on the CPUs that this job may use"),
      (node_joules, "by the node's energy counter"), (max_rss_bytes), (device_memory_bytes),
      (patches, "by the run log"), (fell_back), (failed_patches),
      (sustained,
       "a run of many exposures: a steady part over distinct inputs, and one over all frames"))
};

/// A run that was started and is not a sample.
struct DroppedRun {
  int index = 0;
  std::string start_utc;
  std::optional<double> seconds;
  std::string reason;
  SPEX_ROWS((index, Minimum{0}), (start_utc, utc_form),
            (seconds, "until its end; null if spex-bench itself was killed"), (reason))
};

/// A check of frames: the worst result of all compared frames. It passes if none is bad.
struct CheckRecord {
  std::string hdu, what;
  std::optional<double> limit, largest;
  std::int64_t compared = 0, bad = 0;
  std::optional<std::string> first_bad;
  SPEX_ROWS((hdu), (what), (limit, "null if not finite"),
            (largest, "the worst of all compared frames; null if not finite"), (compared),
            (bad, "it passes if none is bad"), (first_bad))
};

/// Pulls against the truth.
struct TruthRecord {
  std::int64_t bins = 0;
  std::optional<double> mean, std, half_width, correlation;
  SPEX_MEMBERS(bins, mean, std, half_width, correlation)
};

/// A camera's frames over all runs.
struct FrameRecord {
  std::string camera;
  int compared = 0;
  bool reference = false;
  std::optional<std::string> method;
  std::vector<CheckRecord> checks;
  std::optional<TruthRecord> truth;
  std::optional<std::string> failure;
  SPEX_ROWS((camera), (compared, "number of compared frames"),
            (reference, "also with the CPU extractor's frames"),
            (method, "of the reference; eigh is the definition", reference_methods, added_later),
            (checks), (truth, "pulls of the first run against the truth"), (failure))
};

struct ValidationRecord {
  std::vector<FrameRecord> frames;
  std::vector<CheckRecord> together;
  std::optional<std::string> failure;
  SPEX_ROWS((frames), (together, "the pulls of all frames of a run against the truth"),
            (failure, "of `together`"))
};

struct GoldenRecord {
  std::string name, sha256;
  std::optional<std::string> failure;
  std::vector<CheckRecord> checks;
  SPEX_ROWS((name), (sha256, "of the golden frame"), (failure), (checks))
};

struct LaunchRecord {
  std::vector<std::string> argv;
  bool alone = false;
  std::vector<std::string> variables;
  std::map<std::string, std::string> environment, slurm;
  std::string launcher;
  std::vector<std::string> launcher_options;
  int nodes = 1, ranks = 1, gpus_per_node = 0;
  std::optional<double> ranks_per_gpu;
  std::optional<int> threads_per_rank;
  bool mps = false;
  std::string binding;
  SPEX_ROWS((argv),
            (alone, "each run extracts one frame, and adds -i, -p and -o with its files to argv"),
            (variables, "names of all environment variables"),
            (environment,
             "values of the variables of MPI, CUDA, OpenMP, the loader and the project"),
            (slurm), (launcher, one_of("none", "mpirun", "srun")),
            (launcher_options, "arguments from --launcher-options"), (nodes, Minimum{1}),
            (ranks, Minimum{1}), (gpus_per_node, Minimum{0}), (ranks_per_gpu), (threads_per_rank),
            (mps), (binding))
};

struct GeneratorRecord {
  std::string program, version, size, cameras, compression;
  SPEX_ROWS((program, one_of("spex-sim")), (version), (size, sizes), (cameras),
            (compression, image_forms))
};

struct InputsRecord {
  GeneratorRecord generator;
  std::string seeds, storage, page_cache;
  SPEX_ROWS((generator),
            (seeds, "origin of the seeds of the runs: the plan, or drawn for each run",
             one_of("plan", "drawn")),
            (storage, "file system of inputs and outputs"),
            (page_cache, "state of the inputs when a run begins"))
};

struct WorkRecord {
  int frames = 0, bundles = 0;
  std::optional<int> scaled_to;
  bool has_fpnh = true, whole_exposure = false, own_options = true;
  std::string tolerance;
  std::optional<Sustain> sustain;
  std::optional<std::string> compression;
  std::optional<std::map<std::string, std::string>> options;
  SPEX_ROWS((frames, "per run"), (bundles, "summed over frames"),
            (scaled_to, "frames of the exposure for which fewer frames stand; null: all were run"),
            (has_fpnh, "whole frames, not alone"), (whole_exposure, "all 30 cameras at full size"),
            (own_options, "no options but the method change output values"), (tolerance),
            (sustain, "of a long run; null for others"),
            (compression, "of the output frames; absent: none", frame_forms, added_later),
            (options,
             "of the extraction, where they differ from the milestone's defaults; by their names "
             "in Python",
             added_later))
};

struct TimingRecord {
  int warmups = 0, repeats = 0;
  std::optional<Stopping> until;
  std::optional<Quiet> quiet;
  std::vector<Sample> samples;
  std::vector<DroppedRun> dropped;
  bool extended = false;
  std::optional<std::string> run_log_sha256, series_sha256;
  SPEX_ROWS((warmups, Minimum{0}), (repeats, "the minimum, if `until` is present", Minimum{1}),
            (until, "when timed runs ended, if not after `repeats` runs"),
            (quiet, "what a run must be like to count; null: all count", added_later), (samples),
            (dropped,
             "runs that were started and are not samples: interrupted, or failed or too short, and "
             "repeated"),
            (extended, "runs were added to a complete result"),
            (run_log_sha256, "of ENTRY.events.json of the last run, if it is kept", sha256_form),
            (series_sha256, "of ENTRY.series.json, of a long run", sha256_form))
};

/// The state of a GPU by NVML.
struct GpuState {
  std::string uuid;
  std::vector<std::string> throttle_reasons;
  std::optional<double> ecc_corrected, ecc_uncorrected;
  std::optional<double> temperature_c, clock_sm_mhz, clock_memory_mhz, power_w, memory_used_bytes;
  std::optional<double> busy;      ///< fraction of the driver's last sampling period with a kernel
  std::optional<double> energy_j;  ///< since the driver was loaded
  /// The members that results contain.
  SPEX_ROWS((uuid), (throttle_reasons), (ecc_corrected, "since the driver was loaded"),
            (ecc_uncorrected, "since the driver was loaded"), (temperature_c), (clock_sm_mhz),
            (clock_memory_mhz), (power_w), (memory_used_bytes))
};

/// The extremes of several states of a GPU.
struct GpuExtremes {
  std::string uuid;
  std::vector<std::string> throttle_reasons;
  std::optional<double> temperature_max_c, clock_sm_max_mhz, power_max_w;
  SPEX_ROWS((uuid), (throttle_reasons, "of all states, sorted"), (temperature_max_c),
            (clock_sm_max_mhz), (power_max_w))
};

/// Counters of the CPUs and of the main memory of this node, since it was started (Linux's sysfs).
struct CpuHealth {
  std::optional<double> memory_corrected, memory_uncorrected, throttled;
  SPEX_ROWS((memory_corrected,
             "errors of the memory (EDAC) since the node was started; null: it has no counter"),
            (memory_uncorrected),
            (throttled, "how often a core or package was too hot since the node was started"))
};

struct CpuHealthRecord {
  CpuHealth before, after;
  SPEX_ROWS((before, "before the first run"), (after, "after the last"))
};

/// The machine over all runs.
struct HealthRecord {
  std::optional<std::vector<GpuState>> before;
  std::optional<std::vector<GpuExtremes>> during;
  std::optional<std::vector<GpuState>> after;
  std::optional<std::string> settings_changed, reason;
  std::optional<CpuHealthRecord> cpu;
  SPEX_ROWS((before, "by GPU; null if no GPU was observed"), (during, "by GPU"), (after, "by GPU"),
            (settings_changed, "the GPU setting that differed from `system`, and after which run"),
            (reason, "why there is no data of GPUs"), (cpu, added_later))
};

struct ScalingRecord {
  std::string sweep, kind;
  nlohmann::ordered_json x;
  int bundles = 0;
  SPEX_ROWS((sweep, "equal for the entries of a sweep"), (kind, sweep_kinds), (x, NumberOrText()),
            (bundles, "summed over frames"))
};

/// Work of a stage.
struct CostRecord {
  std::string stage;
  double flops = 0, bytes = 0;
  SPEX_ROWS((stage), (flops, "FP64, summed over the frames of a run"),
            (bytes, "that must be read and written once"))
};

struct PlanName {
  std::string name, sha256;
  SPEX_ROWS((name), (sha256, sha256_form))
};

struct Record {
  std::string run_id, start_utc, end_utc;
  std::string tier, division, case_name, milestone, entry;
  PlanName plan;
  BuildRecord build;
  SystemRecord system;
  std::map<std::string, std::string> programs, libraries;
  LaunchRecord launch;
  InputsRecord inputs;
  WorkRecord work;
  std::vector<GoldenRecord> golden;
  TimingRecord timing;
  HealthRecord health;
  ValidationRecord validation;
  std::optional<ScalingRecord> scaling;
  std::vector<CostRecord> costs;
  std::optional<Ceilings> ceilings;
  std::optional<Threshold> threshold;
  std::optional<std::string> skipped, error;

  template <class S, class V>
  static void members(S& object, const V& visit) {
    SPEX_FOR_EACH(SPEX_VISIT_ROW,
                  (run_id, "equal for all entries of one run of a plan", Minimum{1}),
                  (start_utc, utc_form), (end_utc, utc_form), (tier, tiers), (division, divisions))
    visit("case", object.case_name);
    SPEX_FOR_EACH(
        SPEX_VISIT_ROW, (milestone, milestone_words), (entry), (plan), (build), (system),
        (programs, "sha256 of each program that was started, and of spex-bench", sha256_form),
        (libraries, "sha256 of the shared libraries that the extractors are linked with",
         sha256_form),
        (launch), (inputs), (work), (golden, "golden cases, run once by this milestone, not timed"),
        (timing), (health), (validation), (scaling), (costs), (ceilings),
        (threshold, "of the performance"), (skipped, "why it cannot run here"),
        (error, "error that prevented its runs"))
  }
};

}  // namespace spex::bench
