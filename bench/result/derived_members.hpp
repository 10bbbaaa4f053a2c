// The members of what is derived by the names that result files have.
#pragma once

#include "bench/result/derive.hpp"
#include "bench/result/members.hpp"

namespace spex::bench {

template <MaybeConst<Statistic> S, class V>
void members(S& s, const V& v) {
  v("median", s.median), v("mad", s.mad), v("low", s.low), v("high", s.high);
  v("coverage", s.coverage), v("samples", s.samples);
}
template <MaybeConst<Figure> S, class V>
void members(S& s, const V& v) {
  v("seconds", s.seconds), v("fpnh", s.fpnh), v("frames_per_gpu_hour", s.frames_per_gpu_hour);
}
template <MaybeConst<Fom> S, class V>
void members(S& s, const V& v) {
  v("frames_asked", s.frames_asked), v("frames_valid", s.frames_valid);
  v("scaled_to", s.scaled_to), v("complete", s.complete);
  v("incomplete_because", s.incomplete_because), v("nodes", s.nodes), v("gpus", s.gpus);
  v("effective", s.effective), v("extraction", s.extraction);
}
template <MaybeConst<Night> S, class V>
void members(S& s, const V& v) {
  v("frames", s.frames), v("seconds", s.seconds), v("node_hours", s.node_hours);
}
template <MaybeConst<Sustained> S, class V>
void members(S& s, const V& v) {
  v("asked_s", s.asked_s), v("asked_frames", s.asked_frames), v("fpnh", s.fpnh);
  v("soak_fpnh", s.soak_fpnh), v("drift_per_hour", s.drift_per_hour), v("night", s.night);
}
template <MaybeConst<Energy> S, class V>
void members(S& s, const V& v) {
  v("joules_per_frame", s.joules_per_frame), v("reason", s.reason);
}
template <MaybeConst<RooflinePoint> S, class V>
void members(S& s, const V& v) {
  v("stage", s.stage), v("flops", s.flops), v("bytes", s.bytes), v("seconds", s.seconds);
  v("gpus", s.gpus), v("ceiling_flops", s.ceiling_flops), v("ceiling_bytes", s.ceiling_bytes);
  v("source", s.source);
}
template <MaybeConst<Verdict> S, class V>
void members(S& s, const V& v) {
  v("correctness", s.correctness), v("performance", s.performance), v("health", s.health);
  v("overall", s.overall), v("exit_status", s.exit_status), v("reasons", s.reasons);
}
template <MaybeConst<Derived> S, class V>
void members(S& s, const V& v) {
  v("status", s.status), v("fom", s.fom), v("sustained", s.sustained), v("energy", s.energy);
  v("roofline", s.roofline), v("unusual", s.unusual), v("verdict", s.verdict);
}

}  // namespace spex::bench
