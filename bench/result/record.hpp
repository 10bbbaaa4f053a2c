// The facts about an entry of a plan, as plain data. derive() computes all that follows from them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/plan/entry.hpp"
#include "bench/plan/members.hpp"
#include "bench/result/steady_state.hpp"
#include "bench/result/thresholds.hpp"

namespace spex::bench {

/// Seconds of a stage, summed over the threads of a rank; statistics over ranks, of which results
/// in reports/results have only the sum.
struct StageSeconds {
  std::optional<double> min, median, max;
  double sum = 0;
  SPEX_MEMBERS(min, median, max, sum)
};

/// A long run: a pass over distinct inputs, whose speed counts, then the same inputs again.
struct LongRun {
  int frames = 0;                    ///< of the run
  int inputs = 0;                    ///< distinct inputs, which are those of the first frames
  std::optional<LongPart> distinct;  ///< of the distinct inputs; absent if there are too few frames
  std::optional<LongPart> soak;      ///< of all frames
  int most_waiting = 0;              ///< largest number of frames written and not yet inspected
  SPEX_MEMBERS(frames, inputs, distinct, soak, most_waiting)
};

struct Sample {
  int index = 0;
  bool warmup = false;
  std::int64_t seed = 0;       ///< of its inputs, as given to spex-sim
  std::string inputs_sha256;   ///< of the hashes of its input files
  std::string outputs_sha256;  ///< of the hashes of its frames when it ended; "" for none
  bool compared = false;       ///< its frames were compared
  std::string start_utc;
  int exit_status = 0;
  std::optional<std::string> failure;
  std::vector<std::string> warnings;  ///< unusual observations that are not faults of the frames
  double effective_s = 0;             ///< from before the launcher starts to the last exit
  /// from the first input or GPU use to the last output, observed
  std::optional<double> extraction_s;
  std::optional<double> launch_s;  ///< from before the launcher starts to the start of extraction
  std::optional<double> logged_s;  ///< extraction time by the run log
  bool throttled = false;          ///< a GPU or CPU was throttled: the sample does not count
  /// what disturbed it; the sample then does not count (Quiet)
  std::optional<std::string> disturbed;
  /// stages, by the run log; empty if it is inconsistent
  std::map<std::string, StageSeconds> phases;
  std::optional<std::vector<double>> joules;    ///< by GPU
  std::optional<std::vector<double>> gpu_busy;  ///< by GPU: fraction of the time with a kernel
  std::optional<std::vector<double>> gpu_busy_before;  ///< the same, before the launch
  /// of the run, all CPUs of this node; under srun only if the job has a control group
  std::optional<double> cpu_s;
  std::optional<double> other_cpu_s;  ///< of other processes on this node
  std::optional<double> node_joules;  ///< by the node's energy counter
  std::optional<double> max_rss_bytes;
  std::optional<double> device_memory_bytes;
  std::int64_t patches = 0, fell_back = 0, failed_patches = 0;  ///< by the run log
  std::optional<LongRun> sustained;
  SPEX_MEMBERS(index, warmup, seed, inputs_sha256, outputs_sha256, compared, start_utc, exit_status,
               failure, warnings, effective_s, extraction_s, launch_s, logged_s, throttled,
               disturbed, phases, joules, gpu_busy, gpu_busy_before, cpu_s, other_cpu_s,
               node_joules, max_rss_bytes, device_memory_bytes, patches, fell_back, failed_patches,
               sustained)
};

/// A run that was started and is not a sample: it was interrupted, or failed and was repeated.
struct DroppedRun {
  int index = 0;
  std::string start_utc;
  std::optional<double> seconds;  ///< until its end; absent if spex-bench itself was killed
  std::string reason;
  SPEX_MEMBERS(index, start_utc, seconds, reason)
};

/// A check of frames: the worst result of all compared frames.
struct CheckRecord {
  std::string hdu, what;
  std::optional<double> limit, largest;  ///< absent if not finite
  std::int64_t compared = 0, bad = 0;
  std::optional<std::string> first_bad;
  SPEX_MEMBERS(hdu, what, limit, largest, compared, bad, first_bad)
};

struct TruthRecord {
  std::int64_t bins = 0;
  std::optional<double> mean, std, half_width, correlation;
  SPEX_MEMBERS(bins, mean, std, half_width, correlation)
};

/// A camera's frames over all runs.
struct FrameRecord {
  std::string camera;
  int compared = 0;                   ///< frames that were compared
  bool reference = false;             ///< also with the CPU extractor's frames
  std::optional<std::string> method;  ///< of the reference: cholesky, or eigh (the definition)
  std::vector<CheckRecord> checks;
  std::optional<TruthRecord> truth;  ///< of the first run
  std::optional<std::string> failure;
  SPEX_MEMBERS(camera, compared, reference, method, checks, truth, failure)
};

struct ValidationRecord {
  std::vector<FrameRecord> frames;
  std::vector<CheckRecord> together;   ///< all frames of a run against the truth
  std::optional<std::string> failure;  ///< of `together`
  SPEX_MEMBERS(frames, together, failure)
};

/// A golden case, extracted once, not timed.
struct GoldenRecord {
  std::string name;
  std::string sha256;  ///< of the golden frame
  std::optional<std::string> failure;
  std::vector<CheckRecord> checks;
  SPEX_MEMBERS(name, sha256, failure, checks)
};

struct LaunchRecord {
  std::vector<std::string> argv;
  bool alone = false;
  std::vector<std::string> variables;              ///< names of all environment variables
  std::map<std::string, std::string> environment;  ///< values of those of MPI, CUDA, OpenMP ...
  std::map<std::string, std::string> slurm;
  std::string launcher;
  std::vector<std::string> launcher_options;
  int nodes = 1, ranks = 1, gpus_per_node = 0;
  std::optional<double> ranks_per_gpu;
  std::optional<int> threads_per_rank;
  bool mps = false;
  std::string binding;
  SPEX_MEMBERS(argv, alone, variables, environment, slurm, launcher, launcher_options, nodes, ranks,
               gpus_per_node, ranks_per_gpu, threads_per_rank, mps, binding)
};

struct GeneratorRecord {
  std::string program, version, size, cameras, compression;
  SPEX_MEMBERS(program, version, size, cameras, compression)
};

struct InputsRecord {
  GeneratorRecord generator;
  std::string seeds;       ///< plan or drawn
  std::string storage;     ///< file system of inputs and outputs
  std::string page_cache;  ///< state of the inputs when a run begins
  SPEX_MEMBERS(generator, seeds, storage, page_cache)
};

struct WorkRecord {
  int frames = 0;   ///< per run
  int bundles = 0;  ///< summed over frames
  std::optional<int> scaled_to;
  bool has_fpnh = true;         ///< whole frames, not `alone`
  bool whole_exposure = false;  ///< all cameras, at full size
  bool own_options = true;      ///< no options but the method change output values
  std::string tolerance;
  std::optional<Sustain> sustain;
  std::optional<std::string> compression;  ///< of the output frames: none or gz
  /// Options of the extraction that differ from the milestone's defaults, by their names in Python.
  std::optional<std::map<std::string, std::string>> options;
  SPEX_MEMBERS(frames, bundles, scaled_to, has_fpnh, whole_exposure, own_options, tolerance,
               sustain, compression, options)
};

struct TimingRecord {
  int warmups = 0, repeats = 0;
  std::optional<Stopping> until;
  std::optional<Quiet> quiet;  ///< absent in the tier ci
  std::vector<Sample> samples;
  std::vector<DroppedRun> dropped;
  bool extended = false;  ///< runs were added to a complete result
  std::optional<std::string> run_log_sha256, series_sha256;  ///< of the last run's files
  SPEX_MEMBERS(warmups, repeats, until, quiet, samples, dropped, extended, run_log_sha256,
               series_sha256)
};

/// The state of a GPU by NVML.
struct GpuState {
  std::string uuid;
  std::vector<std::string> throttle_reasons;
  std::optional<double> ecc_corrected;    ///< since the driver was loaded
  std::optional<double> ecc_uncorrected;  ///< since the driver was loaded
  std::optional<double> temperature_c;
  std::optional<double> clock_sm_mhz;
  std::optional<double> clock_memory_mhz;
  std::optional<double> power_w;
  std::optional<double> memory_used_bytes;
  std::optional<double> busy;      ///< fraction of the driver's last sampling period with a kernel
  std::optional<double> energy_j;  ///< since the driver was loaded
  /// The members that results contain.
  SPEX_MEMBERS(uuid, throttle_reasons, ecc_corrected, ecc_uncorrected, temperature_c, clock_sm_mhz,
               clock_memory_mhz, power_w, memory_used_bytes)
};

/// The extremes of several states of a GPU.
struct GpuExtremes {
  std::string uuid;
  std::vector<std::string> throttle_reasons;  ///< of all states, sorted
  std::optional<double> temperature_max_c, clock_sm_max_mhz, power_max_w;
  SPEX_MEMBERS(uuid, throttle_reasons, temperature_max_c, clock_sm_max_mhz, power_max_w)
};

/// Counters of the CPUs and of the main memory of this node, since it was started (Linux's sysfs).
/// Absent: the node has no such counter.
struct CpuHealth {
  std::optional<double> memory_corrected, memory_uncorrected;  ///< errors of the memory (EDAC)
  std::optional<double> throttled;  ///< how often a core or a package was too hot
  SPEX_MEMBERS(memory_corrected, memory_uncorrected, throttled)
};

/// The CPUs before the first run and after the last.
struct CpuHealthRecord {
  CpuHealth before, after;
  SPEX_MEMBERS(before, after)
};

/// The GPUs over all runs, by GPU; absent if no GPU was observed.
struct HealthRecord {
  std::optional<std::vector<GpuState>> before;
  std::optional<std::vector<GpuExtremes>> during;
  std::optional<std::vector<GpuState>> after;
  std::optional<std::string> settings_changed;
  std::optional<std::string> reason;  ///< why there is no data of GPUs
  std::optional<CpuHealthRecord> cpu;
  SPEX_MEMBERS(before, during, after, settings_changed, reason, cpu)
};

struct ScalingRecord {
  std::string sweep, kind;
  nlohmann::ordered_json x;
  int bundles = 0;
  SPEX_MEMBERS(sweep, kind, x, bundles)
};

/// Flops and bytes of a stage, summed over the frames of a run.
struct CostRecord {
  std::string stage;
  double flops = 0, bytes = 0;
  SPEX_MEMBERS(stage, flops, bytes)
};

struct PlanName {
  std::string name, sha256;
  SPEX_MEMBERS(name, sha256)
};

struct Record {
  std::string run_id, start_utc, end_utc;
  std::string tier, division, case_name, milestone, entry;
  PlanName plan;
  nlohmann::ordered_json build, system;
  std::map<std::string, std::string> programs, libraries;  ///< sha256 by name
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
  std::optional<std::string> skipped;  ///< why it cannot run here
  std::optional<std::string> error;    ///< error that prevented its runs

  template <class S, class V>
  static void members(S& object, const V& visit) {
    SPEX_VISIT(run_id, start_utc, end_utc, tier, division)
    visit("case", object.case_name);
    SPEX_VISIT(milestone, entry, plan, build, system, programs, libraries, launch, inputs, work,
               golden, timing, health, validation, scaling, costs, ceilings, threshold, skipped,
               error)
  }
};

}  // namespace spex::bench
