// The members of a record by the names that result files have.
#pragma once

#include "bench/result/members.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

template <MaybeConst<PhaseSeconds> S, class V>
void members(S& s, const V& v) {
  v("min", s.min), v("median", s.median), v("max", s.max), v("sum", s.sum);
}
template <MaybeConst<FrameBlock> S, class V>
void members(S& s, const V& v) {
  v("frames", s.frames), v("begin_s", s.begin_s), v("seconds", s.seconds);
}
template <MaybeConst<LongPart> S, class V>
void members(S& s, const V& v) {
  v("first", s.first), v("last", s.last), v("seconds", s.seconds), v("blocks", s.blocks);
}
template <MaybeConst<LongRun> S, class V>
void members(S& s, const V& v) {
  v("frames", s.frames), v("inputs", s.inputs), v("distinct", s.distinct), v("soak", s.soak);
  v("most_waiting", s.most_waiting);
}
template <MaybeConst<Sample> S, class V>
void members(S& s, const V& v) {
  v("index", s.index), v("warmup", s.warmup), v("seed", s.seed);
  v("inputs_sha256", s.inputs_sha256), v("outputs_sha256", s.outputs_sha256);
  v("compared", s.compared), v("start_utc", s.start_utc), v("exit_status", s.exit_status);
  v("failure", s.failure), v("warnings", s.warnings), v("effective_s", s.effective_s);
  v("extraction_s", s.extraction_s), v("launch_s", s.launch_s), v("logged_s", s.logged_s);
  v("throttled", s.throttled), v("phases", s.phases), v("joules", s.joules);
  v("gpu_busy", s.gpu_busy), v("gpu_busy_before", s.gpu_busy_before), v("cpu_s", s.cpu_s);
  v("other_cpu_s", s.other_cpu_s), v("node_joules", s.node_joules);
  v("max_rss_bytes", s.max_rss_bytes), v("device_memory_bytes", s.device_memory_bytes);
  v("patches", s.patches), v("fell_back", s.fell_back), v("failed_patches", s.failed_patches);
  v("sustained", s.sustained);
}
template <MaybeConst<DroppedRun> S, class V>
void members(S& s, const V& v) {
  v("index", s.index), v("start_utc", s.start_utc), v("seconds", s.seconds);
  v("reason", s.reason);
}
template <MaybeConst<CheckRecord> S, class V>
void members(S& s, const V& v) {
  v("hdu", s.hdu), v("what", s.what), v("limit", s.limit), v("largest", s.largest);
  v("compared", s.compared), v("bad", s.bad), v("first_bad", s.first_bad);
}
template <MaybeConst<TruthRecord> S, class V>
void members(S& s, const V& v) {
  v("bins", s.bins), v("mean", s.mean), v("std", s.std), v("half_width", s.half_width);
  v("correlation", s.correlation);
}
template <MaybeConst<FrameRecord> S, class V>
void members(S& s, const V& v) {
  v("camera", s.camera), v("compared", s.compared), v("reference", s.reference);
  v("checks", s.checks), v("truth", s.truth), v("failure", s.failure);
}
template <MaybeConst<ValidationRecord> S, class V>
void members(S& s, const V& v) {
  v("frames", s.frames), v("together", s.together), v("failure", s.failure);
}
template <MaybeConst<GoldenRecord> S, class V>
void members(S& s, const V& v) {
  v("name", s.name), v("sha256", s.sha256), v("failure", s.failure), v("checks", s.checks);
}
template <MaybeConst<LaunchRecord> S, class V>
void members(S& s, const V& v) {
  v("argv", s.argv), v("alone", s.alone), v("variables", s.variables);
  v("environment", s.environment), v("slurm", s.slurm), v("launcher", s.launcher);
  v("launcher_options", s.launcher_options), v("nodes", s.nodes), v("ranks", s.ranks);
  v("gpus_per_node", s.gpus_per_node), v("ranks_per_gpu", s.ranks_per_gpu);
  v("threads_per_rank", s.threads_per_rank), v("mps", s.mps), v("binding", s.binding);
}
template <MaybeConst<GeneratorRecord> S, class V>
void members(S& s, const V& v) {
  v("program", s.program), v("version", s.version), v("size", s.size);
  v("cameras", s.cameras), v("compression", s.compression);
}
template <MaybeConst<InputsRecord> S, class V>
void members(S& s, const V& v) {
  v("generator", s.generator), v("seeds", s.seeds), v("storage", s.storage);
  v("page_cache", s.page_cache);
}
template <MaybeConst<Sustain> S, class V>
void members(S& s, const V& v) {
  v("seconds", s.seconds), v("frames", s.frames);
}
template <MaybeConst<Stopping> S, class V>
void members(S& s, const V& v) {
  v("width", s.width), v("most", s.most);
}
template <MaybeConst<WorkRecord> S, class V>
void members(S& s, const V& v) {
  v("frames", s.frames), v("bundles", s.bundles), v("scaled_to", s.scaled_to);
  v("has_fpnh", s.has_fpnh), v("whole_exposure", s.whole_exposure);
  v("own_options", s.own_options), v("tolerance", s.tolerance), v("sustain", s.sustain);
  v("compression", s.compression);
}
template <MaybeConst<TimingRecord> S, class V>
void members(S& s, const V& v) {
  v("warmups", s.warmups), v("repeats", s.repeats), v("until", s.until);
  v("samples", s.samples), v("dropped", s.dropped), v("extended", s.extended);
  v("run_log_sha256", s.run_log_sha256), v("series_sha256", s.series_sha256);
}
template <MaybeConst<HealthRecord> S, class V>
void members(S& s, const V& v) {
  v("before", s.before), v("during", s.during), v("after", s.after);
  v("settings_changed", s.settings_changed), v("reason", s.reason);
}
template <MaybeConst<ScalingRecord> S, class V>
void members(S& s, const V& v) {
  v("sweep", s.sweep), v("kind", s.kind), v("x", s.x), v("bundles", s.bundles);
}
template <MaybeConst<CostRecord> S, class V>
void members(S& s, const V& v) {
  v("stage", s.stage), v("flops", s.flops), v("bytes", s.bytes);
}
template <MaybeConst<Ceilings> S, class V>
void members(S& s, const V& v) {
  v("flops", s.flops), v("bytes", s.bytes), v("source", s.source);
}
template <MaybeConst<PlanName> S, class V>
void members(S& s, const V& v) {
  v("name", s.name), v("sha256", s.sha256);
}
template <MaybeConst<Threshold> S, class V>
void members(S& s, const V& v) {
  v("fpnh_effective", s.fpnh_effective), v("fpnh_extraction", s.fpnh_extraction);
  v("fpnh_sustained", s.fpnh_sustained), v("seconds_effective", s.seconds_effective);
  v("seconds_extraction", s.seconds_extraction), v("margin", s.margin);
  v("margin_above", s.margin_above);
}
template <MaybeConst<Record> S, class V>
void members(S& s, const V& v) {
  v("run_id", s.run_id), v("start_utc", s.start_utc), v("end_utc", s.end_utc);
  v("tier", s.tier), v("division", s.division), v("case", s.case_name);
  v("milestone", s.milestone), v("entry", s.entry), v("plan", s.plan), v("build", s.build);
  v("system", s.system), v("programs", s.programs), v("libraries", s.libraries);
  v("launch", s.launch), v("inputs", s.inputs), v("work", s.work), v("golden", s.golden);
  v("timing", s.timing), v("health", s.health), v("validation", s.validation);
  v("scaling", s.scaling), v("costs", s.costs), v("ceilings", s.ceilings);
  v("threshold", s.threshold), v("skipped", s.skipped), v("error", s.error);
}

}  // namespace spex::bench
