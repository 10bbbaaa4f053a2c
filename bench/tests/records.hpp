// The record of an entry that passed.
#pragma once

#include <string>
#include <vector>

#include "bench/result/record.hpp"

namespace spex::bench {

/// An exposure of an acceptance plan, which lacks nothing for an accepted result: a warm-up, and
/// timed runs of `effective` seconds, half of them extraction.
inline Record good_record(const std::vector<double>& effective) {
  Record record;
  record.run_id = "run";
  record.start_utc = record.end_utc = "2026-11-21T08:00:00Z";
  record.tier = "acceptance";
  record.division = "ported";
  record.milestone = "pipeline";
  record.entry = "pipeline";
  record.build.commit = "abc";
  record.build.dirty = false;
  record.system.name = "node";
  record.system.cpus = 2;
  record.inputs.seeds = "drawn";
  record.work.frames = 30;
  record.work.whole_exposure = true;
  record.work.tolerance = "production";
  record.golden = {{"tiny-b", "", {}, {}}};
  record.timing.warmups = 1;
  record.timing.repeats = static_cast<int>(effective.size());
  for (int i = 0; i <= record.timing.repeats; ++i) {
    Sample sample;
    sample.index = i;
    sample.warmup = i == 0;
    sample.seed = 100 + i;
    sample.inputs_sha256 = "inputs" + std::to_string(i);
    sample.outputs_sha256 = "outputs" + std::to_string(i);
    sample.compared = true;
    sample.effective_s = i == 0 ? 1 : effective[i - 1];
    sample.extraction_s = sample.effective_s / 2;
    record.timing.samples.push_back(sample);
  }
  record.validation.frames = {{"b0", 6, true, "cholesky", {}, {}, {}}};
  record.health.before.emplace();
  return record;
}

/// A long run of 3000 frames, of which the first 120 have distinct inputs: 96 of these, and 2940 of
/// all, were written in the given seconds.
inline Record night(double distinct_s, double soak_s) {
  Record record = good_record({200});
  record.tier = "night";
  record.work.frames = 3000;
  record.work.sustain = Sustain{1800, {}};
  LongRun run{3000, 120, LongPart{12, 108, distinct_s, {}}, LongPart{30, 2970, soak_s, {}}, 1};
  for (int k = 0; k < 6; ++k)
    run.distinct->blocks.push_back({16, k * distinct_s / 6, distinct_s / 6});
  for (int k = 0; k < 6; ++k) run.soak->blocks.push_back({490, k * soak_s / 6, soak_s / 6});
  record.timing.samples.back().sustained = run;
  return record;
}

}  // namespace spex::bench
